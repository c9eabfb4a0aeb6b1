import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart, LanguageModelV4Usage } from "@ai-sdk/provider";
import { TypeValidationError } from "@ai-sdk/provider";
import { AppError } from "../../shared/errors.ts";
import type { FinishReason, ModelEvent } from "../../shared/inference.ts";
import type { Usage } from "../../shared/message.ts";
import { monotonicMs } from "../lib/clock.ts";
import type { Raw, Sealed } from "./cloud-prompt.ts";
import { createThinkTags } from "./think-tags.ts";

type Part = LanguageModelV4StreamPart;
type Of<T extends Part["type"]> = Extract<Part, { type: T }>;

export interface ReaderOptions {
  /** For the sentences. */
  readonly name: string;
  /** The key of the model: what it wants to see again is valid only under it. */
  readonly key: string;
  /** Reasoning may stand in the text, between tags. */
  readonly tags: boolean;
}

/** The kinds of events that Anthropic has. It adds others, to be passed over; its SDK complains of each. */
const anthropicEvents = /^(message_(start|delta|stop)|content_block_(start|delta|stop)|ping|error)$|^response\.|^$/;

/** A complaint about an event of a kind that nobody knew when this was written. */
function isNews(error: unknown): boolean {
  const { type = "" } = TypeValidationError.isInstance(error) ? ((error.value ?? {}) as { type?: unknown }) : {};
  return typeof type === "string" && !anthropicEvents.test(type);
}

/**
 * Turns the parts of an SDK's stream into the events of a model. A call gets its end only once the vendor has said both
 * that it is whole and that the answer ended well. Throws what the vendor reported inside the stream, and
 * provider-failed where the stream ends without a reason.
 */
export function createPartReader({ name, key, tags }: ReaderOptions) {
  const clock = createAnswerClock();
  const thoughts = createThoughts(key);
  const calls = createCalls(key);
  const thinkTags = tags ? createThinkTags() : undefined;
  let early: LanguageModelV4FinishReason | undefined;

  function* text(delta: string): Generator<ModelEvent> {
    for (const piece of thinkTags?.push(delta) ?? [{ type: "text" as const, text: delta }]) {
      if (piece.type === "text") thoughts.end();
      if (piece.text !== "") yield piece;
    }
  }

  function* finish({ finishReason, usage }: Of<"finish">): Generator<ModelEvent> {
    if (thinkTags) yield* thinkTags.end();
    if (usage.inputTokens.total !== undefined)
      yield { type: "usage", usage: { ...counted(usage), ...clock.figures() } };
    const reason = reasonOf(finishReason.unified === "interrupted" ? (early ?? finishReason) : finishReason, name);
    if (reason === "tool_calls" || reason === "stop") yield* calls.end();
    yield { type: "finish", reason };
  }

  function read(part: Part): Iterable<ModelEvent> {
    switch (part.type) {
      case "error":
        if (!tags && isNews(part.error)) return [];
        throw part.error;
      case "raw":
        early = reasonIn(part.rawValue) ?? early;
        return [];
      case "text-delta":
        clock.token();
        return text(part.delta);
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        clock.token();
        return thoughts.read(part);
      case "tool-input-start":
      case "tool-input-delta":
      case "tool-call":
        clock.token();
        return calls.read(part);
      case "finish":
        return finish(part);
      default: // what else there is belongs to the vendor's own tools, which are never asked for
        return [];
    }
  }

  return {
    read,
    /** What was held back of an answer that broke off. */
    rest: (): Iterable<ModelEvent> => thinkTags?.end() ?? [],
  };
}

/** Reasoning as it comes, and at its end what its vendor wants to see again with it. */
function createThoughts(key: string) {
  interface Thought {
    text: string;
    sealed?: Sealed;
  }
  const open = new Map<string, Thought>();
  /** Of the same part of the message: the newest has them all, because neighbours become one. */
  let ended: readonly Thought[] = [];

  return {
    *read(part: Of<"reasoning-start" | "reasoning-delta" | "reasoning-end">): Generator<ModelEvent> {
      const thought = open.get(part.id) ?? { text: "" };
      open.set(part.id, thought);
      if (part.providerMetadata) thought.sealed = merged(thought.sealed, part.providerMetadata as Sealed);
      if (part.type === "reasoning-delta" && part.delta !== "") {
        thought.text += part.delta;
        yield { type: "reasoning", text: part.delta };
      }
      if (part.type !== "reasoning-end") return;
      open.delete(part.id);
      ended = [...ended, thought];
      yield { type: "reasoning", text: "", raw: { key, thoughts: [...ended] } satisfies Raw };
    },
    /** Text follows: reasoning after it is another part of the message. */
    end(): void {
      ended = [];
    },
  };
}

/** What is only told to be unknown must not hide what was known before. */
function merged(one: Sealed = {}, other: Sealed): Sealed {
  const known = Object.entries(other).map(([vendor, values]) => {
    const told = Object.entries(values).filter(([, value]) => value !== null);
    return [vendor, { ...one[vendor], ...Object.fromEntries(told) }] as const;
  });
  return { ...one, ...Object.fromEntries(known) };
}

/** Calls by the vendor's ids: one that is told twice is one. */
function createCalls(key: string) {
  interface Call {
    readonly index: number;
    isSpelled: boolean;
    whole?: Raw;
  }
  const calls = new Map<string, Call>();

  function* argumentsOf(call: Call, text: string): Generator<ModelEvent> {
    if (text === "" || call.whole) return;
    call.isSpelled = true;
    yield { type: "call-arguments", index: call.index, text };
  }

  return {
    *read(part: Of<"tool-input-start" | "tool-input-delta" | "tool-call">): Generator<ModelEvent> {
      const id = part.type === "tool-call" ? part.toolCallId : part.id;
      const known = calls.get(id);
      const call = known ?? { index: calls.size, isSpelled: false };
      calls.set(id, call);
      if (!known && part.type !== "tool-input-delta")
        yield { type: "call-start", index: call.index, name: part.toolName, id };
      if (part.type === "tool-input-delta") yield* argumentsOf(call, part.delta);
      if (part.type !== "tool-call" || call.whole) return;
      if (!call.isSpelled) yield* argumentsOf(call, part.input);
      const sealed = part.providerMetadata as Sealed | undefined;
      call.whole = { key, ...(sealed && { sealed }) };
    },
    *end(): Generator<ModelEvent> {
      for (const { index, whole } of calls.values()) {
        if (whole) yield { type: "call-end", index, raw: whole };
      }
    },
  };
}

function createAnswerClock() {
  const startedAt = monotonicMs();
  let firstAt: number | undefined;
  return {
    token(): void {
      firstAt ??= monotonicMs();
    },
    figures(): Pick<Usage, "firstTokenMs" | "decodeMs"> {
      const now = monotonicMs();
      const first = firstAt ?? now;
      return { firstTokenMs: first - startedAt, decodeMs: now - first };
    },
  };
}

const counted = ({ inputTokens, outputTokens }: LanguageModelV4Usage) => ({
  inputTokens: inputTokens.total ?? 0,
  reusedTokens: inputTokens.cacheRead ?? 0,
  outputTokens: outputTokens.total ?? 0,
});

/** Anthropic says why an answer ends one event before its last one. A stream cut between the two is whole. */
function reasonIn(value: unknown): LanguageModelV4FinishReason | undefined {
  const { type, delta } = value as { type?: unknown; delta?: { stop_reason?: unknown } };
  const raw = type === "message_delta" ? delta?.stop_reason : undefined;
  return typeof raw === "string" ? { unified: stopReasons[raw] ?? "stop", raw } : undefined;
}

const stopReasons: Readonly<Record<string, LanguageModelV4FinishReason["unified"]>> = {
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content-filter",
};

function reasonOf({ unified, raw }: LanguageModelV4FinishReason, name: string): FinishReason {
  switch (unified) {
    case "stop":
      return "stop";
    case "tool-calls":
      return "tool_calls";
    case "length":
      return "length";
    case "content-filter": // a model that refuses ends as usual, or says so; the rest are filters around it
      return raw === undefined || raw === "stop" || raw === "refusal" ? "refusal" : "content_filter";
    case "other":
      return otherReason(raw, name);
    default:
      throw brokenOff(name);
  }
}

/** A vendor's own word: mostly for the end of an answer, such as "eos". */
function otherReason(raw: string | undefined, name: string): FinishReason {
  if (raw === "error") throw brokenOff(name);
  if (raw === "insufficient_system_resource")
    throw new AppError("overloaded", `${name} has no room just now. What came is kept.`);
  return "stop";
}

const brokenOff = (name: string): AppError =>
  new AppError("provider-failed", `${name} broke off before its answer was whole. What came is kept.`);
