import type { Shape } from "./schema.ts";

interface Frame {
  readonly isObject: boolean;
  readonly shape: Shape | undefined;
  written: number;
}

/**
 * Passes the JSON of a call's arguments through while it is written, without white space, and without the nulls that
 * only stand for "left out". What follows the value is ignored.
 */
export class ArgumentStream {
  private readonly root: Shape;
  private readonly frames: Frame[] = [];
  private inText = false;
  private escaped = false;
  /** A member's name, held back until it is known whether its value is a null to leave out. */
  private key = "";
  private awaitsKey = false;
  private inNull = false;
  private isComplete = false;

  constructor(root: Shape) {
    this.root = root;
  }

  /** Whether the whole value has been seen. */
  get complete(): boolean {
    return this.isComplete;
  }

  push(text: string): string {
    let passed = "";
    for (const character of text) if (!this.isComplete) passed += this.step(character);
    return passed;
  }

  private step(character: string): string {
    if (this.inText) return this.stepInText(character);
    if (this.inNull && /[a-z]/.test(character)) return "";
    this.inNull = false;
    if (/\s/.test(character) || character === ":") return "";
    if (character === ",") return this.startNext();
    if (character === "}" || character === "]") return this.close(character);
    if (character === '"' && this.awaitsKey) return this.startKey();
    return this.stepIntoValue(character);
  }

  private stepInText(character: string): string {
    if (this.escaped) this.escaped = false;
    else if (character === "\\") this.escaped = true;
    else if (character === '"') this.inText = false;
    if (!this.awaitsKey) return character;
    this.key += character;
    this.awaitsKey = this.inText;
    return "";
  }

  private startKey(): string {
    this.inText = true;
    this.key = '"';
    return "";
  }

  /** The first character of a value, or a later one of a number or word. */
  private stepIntoValue(character: string): string {
    const frame = this.frames.at(-1);
    const name = this.key === "" ? undefined : String(JSON.parse(this.key));
    if (name !== undefined && character === "n" && frame?.shape?.optional.has(name)) {
      this.key = "";
      this.inNull = true;
      return "";
    }
    const shape = frame ? (frame.shape?.members.get(name ?? "") ?? frame.shape?.items) : this.root;
    if (character === '"') this.inText = true;
    if (character === "{" || character === "[") this.open(character === "{", shape);
    const key = this.key;
    this.key = "";
    if (key === "" || !frame) return character;
    return `${frame.written++ > 0 ? "," : ""}${key}:${character}`;
  }

  private open(isObject: boolean, shape: Shape | undefined): void {
    this.frames.push({ isObject, shape, written: 0 });
    this.awaitsKey = isObject;
  }

  private startNext(): string {
    this.awaitsKey = this.frames.at(-1)?.isObject ?? false;
    return this.awaitsKey ? "" : ",";
  }

  private close(character: string): string {
    this.frames.pop();
    this.awaitsKey = false;
    this.isComplete = this.frames.length === 0;
    return character;
  }
}
