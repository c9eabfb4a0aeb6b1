import type { PromptMessage } from "../../shared/inference.ts";
import { callsOf, type Part, type ToolCallPart, type ToolResultPart } from "../../shared/message.ts";
import type { CountMessages } from "./tokens.ts";

/** Results longer than this are shortened first when the prompt is over its budget; so much of them stays. */
const KEPT_OF_RESULT = 1_200;
/** Room is made in steps of this share of the budget, so that the prefix does not move with every call. */
const STEP = 0.15;

export const INTERRUPTED_RESULT = "Interrupted: it is not known whether this was done.";

interface Governed {
  readonly messages: PromptMessage[];
  readonly tokens: number;
  readonly notes: string[];
}

/**
 * Makes a prompt that every provider accepts and that fits: invalid calls and orphan results go, missing results are
 * filled in, then old big tool results shrink, then the oldest turns go. Works on a copy; stored rows are never touched.
 */
export async function govern(
  prompt: readonly PromptMessage[],
  budget: number,
  count: CountMessages,
): Promise<Governed> {
  const sound = mendCalls(prompt);
  const before = await total(sound, count);
  if (before <= budget) return { messages: sound, tokens: before, notes: [] };
  const shrunk = await shrinkResults(sound, roomNeeded(before, budget), count);
  const after = await total(shrunk.messages, count);
  const notes = shrunk.number > 0 ? [`shortened ${shrunk.number} old tool results`] : [];
  if (after <= budget) return { messages: shrunk.messages, tokens: after, notes };
  const snipped = await snipHistory(shrunk.messages, roomNeeded(after, budget), count);
  const messages = mendCalls(snipped);
  const dropped = shrunk.messages.length - snipped.length;
  return {
    messages,
    tokens: await total(messages, count),
    notes: dropped > 0 ? [...notes, `left out the ${dropped} oldest messages`] : notes,
  };
}

async function total(messages: readonly PromptMessage[], count: CountMessages): Promise<number> {
  return (await count(messages)).reduce((sum, tokens) => sum + tokens, 0);
}

/** Tokens to free: what is over, rounded up to whole steps. */
function roomNeeded(tokens: number, budget: number): number {
  const step = Math.max(1, budget * STEP);
  return Math.ceil((tokens - budget) / step) * step;
}

const isSoundCall = (call: ToolCallPart): boolean =>
  call.name !== "" && typeof call.input === "object" && call.input !== null && !Array.isArray(call.input);

/** Calls and results in pairs: each result directly follows its call, each call has one result. */
export function mendCalls(messages: readonly PromptMessage[]): PromptMessage[] {
  const mended: PromptMessage[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as PromptMessage;
    if (message.role === "tool") continue; // taken with its call below; without one it is an orphan
    const parts = message.parts.filter((part) => part.type !== "tool-call" || isSoundCall(part));
    if (parts.length === 0) continue;
    mended.push({ role: message.role, parts });
    const results = resultsFollowing(messages, at);
    for (const call of callsOf(parts)) mended.push({ role: "tool", parts: [results.get(call.id) ?? missing(call)] });
  }
  return mended;
}

/** The first result of each call id in the tool messages right after `at`. */
function resultsFollowing(messages: readonly PromptMessage[], at: number): Map<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (let next = at + 1; messages[next]?.role === "tool"; next++) {
    for (const part of messages[next]?.parts ?? []) {
      if (part.type === "tool-result" && !results.has(part.callId)) results.set(part.callId, part);
    }
  }
  return results;
}

const missing = ({ id, name }: ToolCallPart): ToolResultPart => ({
  type: "tool-result",
  callId: id,
  name,
  text: INTERRUPTED_RESULT,
  failed: true,
});

/** Oldest first, and never the newest result: that is what the model is about to use. */
async function shrinkResults(messages: readonly PromptMessage[], room: number, count: CountMessages) {
  const shrunk = [...messages];
  const last = messages.findLastIndex(({ role }) => role === "tool");
  let freed = 0;
  let number = 0;
  for (let at = 0; at < last && freed < room; at++) {
    const message = shrunk[at] as PromptMessage;
    const shorter = { ...message, parts: message.parts.map(shortenResult) };
    if (message.parts.every((part, index) => part === shorter.parts[index])) continue;
    const [before = 0, after = 0] = await count([message, shorter]);
    shrunk[at] = shorter;
    freed += before - after;
    number++;
  }
  return { messages: shrunk, number };
}

function shortenResult(part: Part): Part {
  if (part.type !== "tool-result" || part.text.length <= KEPT_OF_RESULT) return part;
  const left = part.text.length - KEPT_OF_RESULT;
  return {
    ...part,
    text: `${part.text.slice(0, KEPT_OF_RESULT)}\n[… ${left} more characters were left out to save room]`,
  };
}

/** Drops whole turns from the oldest on, never the last user message and what follows it. */
async function snipHistory(messages: readonly PromptMessage[], room: number, count: CountMessages) {
  const head = messages[0]?.role === "system" ? 1 : 0;
  const starts = messages.flatMap(({ role }, at) => (role === "user" && at >= head ? [at] : []));
  const tokens = await count(messages);
  const lastStart = starts.at(-1) ?? head;
  let freed = 0;
  let at = head;
  while (at < lastStart && (freed < room || messages[at]?.role !== "user")) freed += tokens[at++] ?? 0;
  return [...messages.slice(0, head), ...messages.slice(at)];
}
