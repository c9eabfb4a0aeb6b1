import { setTimeout as wait } from "node:timers/promises";
import type { Provider } from "../../src/main/providers/provider.ts";
import { AppError } from "../../src/shared/errors.ts";
import type { FinishReason, ModelEvent, ModelInfo, ModelRequest } from "../../src/shared/inference.ts";

/** One thing a scripted model does: says something, fails, waits, or decides when it sees the request. */
export type ScriptStep =
  | ModelEvent
  | AppError
  | { readonly wait: number }
  | ((request: ModelRequest) => ScriptStep | readonly ScriptStep[] | undefined | Promise<undefined>);

export interface ScriptedProvider extends Provider {
  /** Every request it was given, in order. */
  readonly requests: readonly ModelRequest[];
  /** How often it was opened and closed. */
  readonly opened: number;
  readonly closed: number;
  /** Adds a reply to the end of the script. */
  reply(...steps: readonly ScriptStep[]): void;
}

export interface ScriptOptions {
  readonly info?: Partial<ModelInfo>;
  /** Played again and again once the script is at its end. Without it a further request is an error of the test. */
  readonly afterwards?: readonly ScriptStep[];
}

/** The words a test needs most. */
export const says = (text: string, reason: FinishReason = "stop"): readonly ModelEvent[] => [
  { type: "text", text },
  { type: "finish", reason },
];

/** Whole tool calls and the finish that belongs to them. */
export const calls = (...list: ReadonlyArray<{ name: string; input: unknown; id?: string }>): readonly ModelEvent[] => [
  ...list.flatMap(({ name, input, id }, index): ModelEvent[] => [
    { type: "call-start", index, name, ...(id !== undefined && { id }) },
    { type: "call-arguments", index, text: typeof input === "string" ? input : JSON.stringify(input) },
    { type: "call-end", index },
  ]),
  { type: "finish", reason: "tool_calls" },
];

const defaultInfo: ModelInfo = {
  key: "scripted-1",
  name: "Scripted",
  window: 8192,
  maxOutputTokens: 1024,
  toolLevel: "native",
  continues: "in-place",
  local: true,
  vision: false,
};

/** A model that plays a script: one list of steps a request. The same road as a real one, so that nothing else need be faked. */
export function scriptedProvider(
  script: ReadonlyArray<readonly ScriptStep[]> = [],
  { info, afterwards }: ScriptOptions = {},
): ScriptedProvider {
  const replies = [...script];
  const requests: ModelRequest[] = [];
  const count = { opened: 0, closed: 0 };
  return {
    requests,
    get opened() {
      return count.opened;
    },
    get closed() {
      return count.closed;
    },
    reply: (...steps) => void replies.push(steps),
    async open(signal) {
      if (signal.aborted) throw new AppError("aborted", "Stopped.");
      count.opened += 1;
      return { ...defaultInfo, ...info };
    },
    countTokens: async (texts) => texts.map((text) => Math.ceil(text.length / 4)),
    async *stream(request, signal) {
      requests.push(request);
      const steps = replies.shift() ?? afterwards;
      if (!steps) throw new Error(`The script has no reply for request ${requests.length}`);
      let finished = false;
      for await (const event of play(steps, request, signal)) {
        finished ||= event.type === "finish";
        yield event;
      }
      if (signal.aborted && !finished) yield { type: "finish", reason: "aborted" };
    },
    async close() {
      count.closed += 1;
    },
  };
}

async function* play(
  steps: readonly ScriptStep[],
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  for (const step of steps) {
    if (!signal.aborted && !(step instanceof Error) && "wait" in step) {
      await wait(step.wait, undefined, { signal }).catch(() => undefined); // an abort is seen below
    }
    if (signal.aborted) return;
    if (typeof step === "function") {
      const decided = await step(request);
      yield* play(decided === undefined ? [] : [decided].flat(), request, signal);
    } else if (step instanceof AppError) throw step;
    else if ("type" in step) yield step;
  }
}
