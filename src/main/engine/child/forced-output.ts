import { ArgumentStream } from "./argument-stream.ts";
import { noShape, type Shape } from "./schema.ts";

export interface ForcedHandlers {
  answer(text: string): void;
  callStart(name: string): void;
  callArguments(text: string): void;
  callEnd(): void;
}

const answerHead = /^\s*\{\s*"answer"\s*:\s*"/;
const callHead = /^\s*\{\s*"tool"\s*:\s*"([^"]+)"\s*,\s*"arguments"\s*:\s*/;

/** Reads the one JSON object of a forced model while it is written: an answer's text, or a call. */
export class ForcedOutput {
  private readonly handlers: ForcedHandlers;
  private readonly shapes: ReadonlyMap<string, Shape>;
  private head: string | undefined = "";
  private text: JsonText | undefined;
  private call: ArgumentStream | undefined;

  /** `continued`: the answer's text has already begun. */
  constructor(handlers: ForcedHandlers, shapes: ReadonlyMap<string, Shape>, continued: boolean) {
    this.handlers = handlers;
    this.shapes = shapes;
    if (continued) this.startAnswer("");
  }

  push(chunk: string): void {
    if (this.head !== undefined) this.readHead(this.head + chunk);
    else if (this.text) this.handlers.answer(this.text.push(chunk));
    else this.pushArguments(chunk);
  }

  /** Waits until the text so far tells an answer from a call. */
  private readHead(head: string): void {
    this.head = head;
    const answer = answerHead.exec(head);
    const call = callHead.exec(head);
    if (answer) this.startAnswer(head.slice(answer[0].length));
    else if (call?.[1] !== undefined) this.startCall(call[1], head.slice(call[0].length));
  }

  private startAnswer(rest: string): void {
    this.head = undefined;
    this.text = new JsonText();
    this.handlers.answer(this.text.push(rest));
  }

  private startCall(name: string, rest: string): void {
    this.head = undefined;
    this.call = new ArgumentStream(this.shapes.get(name) ?? noShape);
    this.handlers.callStart(name);
    this.pushArguments(rest);
  }

  private pushArguments(chunk: string): void {
    if (!this.call || this.call.complete) return;
    this.handlers.callArguments(this.call.push(chunk));
    if (this.call.complete) this.handlers.callEnd();
  }
}

const unit = /[^"\\]+|\\u[0-9a-fA-F]{4}|\\["\\/bfnrt]/gy;
const highSurrogate = /^\\u[dD][89abAB]/;

/** The text inside a JSON string, unescaped piece by piece; ends at its closing quote. */
class JsonText {
  private pending = "";
  private ended = false;

  push(chunk: string): string {
    if (this.ended) return "";
    this.pending += chunk;
    const units = this.pending.match(unit) ?? [];
    // Half of a pair is held back: on its own it is no character.
    if (highSurrogate.test(units.at(-1) ?? "")) units.pop();
    const whole = units.join("");
    this.pending = this.pending.slice(whole.length);
    this.ended = this.pending.startsWith('"');
    return String(JSON.parse(`"${whole}"`));
  }
}
