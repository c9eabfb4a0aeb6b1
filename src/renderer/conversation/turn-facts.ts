import type { ErrorCode, WireError } from "../../shared/errors.ts";
import {
  callsOf,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  textOf,
} from "../../shared/message.ts";
import type { ToolCallRecord } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import { followUpsOf } from "../lib/follow-ups.ts";

/** The rows of an answer that are shown, oldest first. */
export const answerRows = ({ rows }: TurnView): Message[] =>
  rows.filter(({ role, kind, status }) => role === "assistant" && kind !== "note" && status !== "hidden");

/** The answer with what the person added while it was written: each follow-up stands after what was there before it. */
export function conversationRows(view: TurnView): Message[] {
  const shown = new Set([...answerRows(view), ...followUpsOf(view)]);
  return view.rows.filter((row) => shown.has(row));
}

/** The calls of an interrupted turn, by what is known of them. One that was given up has its result: it is not asked about. */
export function openCalls(view: TurnView) {
  const results = resultsOf(view);
  return {
    done: view.calls.filter(({ state }) => state === "finished" || state === "failed"),
    unknown: view.calls.filter(({ id, state }) => state === "unknown" && !results.has(id)),
    notStarted: view.calls.filter(({ state }) => state === "requested" || state === "approved"),
  };
}

/** Names of calls on one line, in order: what was called more than once says how often. */
export function namesOf(calls: readonly ToolCallRecord[]): string {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(", ");
}

/** What was asked for with a call. */
export const callOf = ({ rows }: TurnView, callId: string): ToolCallPart | undefined =>
  rows.flatMap(({ parts }) => callsOf(parts)).find(({ id }) => id === callId);

/** What the person asked. */
export function questionOf({ inbound, rows }: TurnView): string {
  if (inbound.text !== "") return inbound.text;
  return textOf(rows.find(({ role }) => role === "user")?.parts ?? []);
}

/** The whole answer as it was written, tools and thoughts left out. */
export const answerOf = (view: TurnView): string =>
  answerRows(view)
    .map(({ parts }) => textOf(parts))
    .filter((text) => text !== "")
    .join("\n\n");

/** What each call gave, by the call's id. */
export function resultsOf({ rows }: TurnView): ReadonlyMap<string, ToolResultPart> {
  const results = rows.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"));
  return new Map(results.map((result) => [result.callId, result]));
}

/** Milliseconds that the model thought before it spoke: its share of the tokens, by length. */
export function thoughtMs({ parts, usage }: Message): number | undefined {
  if (!usage) return undefined;
  const length = (kind: Part["type"]) =>
    parts.reduce((sum, part) => (part.type === kind && "text" in part ? sum + part.text.length : sum), 0);
  const thought = length("reasoning");
  return thought === 0 ? undefined : (usage.decodeMs * thought) / (thought + length("text"));
}

/** Output tokens in a second; undefined where there is nothing to count. */
export function tokensPerSecond(view: TurnView): number | undefined {
  const usage = view.turn.usage ?? view.requests.at(-1)?.usage;
  return usage && usage.decodeMs > 0 && usage.outputTokens > 0
    ? (usage.outputTokens * 1_000) / usage.decodeMs
    : undefined;
}

/** Why a turn failed; not for one that a person stopped, nor for one that a crash interrupted. */
export function problemOf({ turn, rows }: TurnView): WireError | undefined {
  if (turn.stopReason === "aborted" || turn.stopReason === "interrupted") return undefined;
  if (turn.error || turn.stopReason !== "error") return turn.error;
  const kept = rows.flatMap(({ parts }) => parts.filter((part) => part.type === "error")).at(-1);
  return kept?.error ?? { code: "internal", message: "", retryable: false };
}

/** The one argument that says most of a call: the first that is a short text or a number. */
export function mainArgument(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const found = Object.values(input).find((value) => typeof value === "string" || typeof value === "number");
  return found === undefined ? "" : String(found).slice(0, 120);
}

export type NextStep = "again" | "models" | "cloud" | "new" | "shorten";

/** What a person can do about a failed turn, the best first. */
export const nextSteps: Readonly<Record<ErrorCode, readonly NextStep[]>> = {
  "bad-request": ["again"],
  "blank-message": ["shorten"],
  "not-found": ["new"],
  aborted: ["again"],
  interrupted: ["again"],
  "data-busy": ["again"],
  "data-folder": [],
  "data-newer": [],
  "data-damaged": [],
  "data-read-only": ["again"],
  "disk-full": ["again"],
  "disk-error": ["again"],
  "model-missing": ["models", "again"],
  "model-invalid": ["models"],
  "model-unsupported": ["models"],
  "model-held": ["models", "again"],
  "engine-crashed": ["again", "models"],
  "engine-unavailable": ["again"],
  "out-of-memory": ["models", "again"],
  "context-overflow": ["shorten", "new"],
  "provider-failed": ["again"],
  timeout: ["again"],
  quota: ["again", "cloud"],
  "rate-limited": ["again", "models"],
  overloaded: ["again", "models"],
  "key-missing": ["cloud", "again"],
  "key-refused": ["cloud", "again"],
  "key-locked": ["cloud", "again"],
  "model-gone": ["cloud", "again"],
  "request-refused": ["shorten", "cloud"],
  "not-an-api": ["cloud", "again"],
  "server-untrusted": ["cloud", "again"],
  "local-mode": ["again", "models"],
  "consent-needed": ["again", "models"],
  "never-cloud": ["models"],
  "address-refused": ["cloud"],
  "download-failed": ["again"],
  "hash-mismatch": ["again", "models"],
  offline: ["again", "models"],
  "path-refused": ["shorten"],
  "bad-arguments": ["again"],
  "tool-failed": ["again"],
  internal: ["again"],
};
