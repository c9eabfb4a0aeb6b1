import type { PromptMessage } from "../../shared/inference.ts";
import { callsOf, type Part, type ToolCallPart, type ToolResultPart } from "../../shared/message.ts";
import { shortenedResult } from "./long-results.ts";
import type { CountMessages } from "./tokens.ts";
import { mergeNeighbours } from "./transcript.ts";

/** Room is made in steps of this share of the budget, so that the prefix does not move with every call. */
const STEP = 0.15;

export const INTERRUPTED_RESULT = "Interrupted: it is not known whether this was done.";

interface Governed {
  readonly messages: PromptMessage[];
  readonly tokens: number;
  readonly notes: string[];
}

/** What makes room, in this order, as long as it is needed. */
const ways: ReadonlyArray<(messages: PromptMessage[], room: number, count: CountMessages) => Promise<Smaller>> = [
  shrinkOldResults,
  snipHistory,
  shrinkAllResults,
];

interface Smaller {
  readonly messages: PromptMessage[];
  /** For the trace; empty if nothing could be done. */
  readonly note: string;
}

/**
 * Makes a prompt that every provider accepts and that fits: invalid calls and orphan results go, missing results are
 * filled in, then old big tool results shrink, then the oldest turns go, then the newest results shrink. Works on a
 * copy; stored rows are never touched. Where all that is not enough, more tokens come back than the budget has.
 */
export async function govern(
  prompt: readonly PromptMessage[],
  budget: number,
  count: CountMessages,
): Promise<Governed> {
  let messages = mended(prompt);
  let tokens = await total(messages, count);
  const notes: string[] = [];
  for (const makeRoom of ways) {
    if (tokens <= budget) break;
    const smaller = await makeRoom(messages, roomNeeded(tokens, budget), count);
    if (smaller.note === "") continue;
    notes.push(smaller.note);
    messages = mended(smaller.messages);
    tokens = await total(messages, count);
  }
  return { messages, tokens, notes };
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

/** What is dropped may leave neighbours of one role. */
const mended = (messages: readonly PromptMessage[]): PromptMessage[] => mergeNeighbours(mendCalls(messages));

/** Calls and results in pairs: each result directly follows its call, each call has one result. */
export function mendCalls(messages: readonly PromptMessage[]): PromptMessage[] {
  const pairs: PromptMessage[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as PromptMessage;
    if (message.role === "tool") continue; // taken with its call below; without one it is an orphan
    const parts = message.parts.filter((part) => part.type !== "tool-call" || isSoundCall(part));
    if (parts.length === 0) continue;
    pairs.push({ role: message.role, parts });
    const results = resultsFollowing(messages, at);
    for (const call of callsOf(parts)) pairs.push({ role: "tool", parts: [results.get(call.id) ?? missing(call)] });
  }
  return pairs;
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

/** Not the newest one: that is what the model is about to use. */
async function shrinkOldResults(messages: PromptMessage[], room: number, count: CountMessages): Promise<Smaller> {
  const newest = messages.findLastIndex(({ role }) => role === "tool");
  const { number, ...shrunk } = await shrinkResults(messages.slice(0, Math.max(0, newest)), room, count);
  return {
    messages: [...shrunk.messages, ...messages.slice(Math.max(0, newest))],
    note: number > 0 ? `shortened ${number} old tool results` : "",
  };
}

/** Before giving up: the model reads the beginning of what it asked for, and that there is more. */
async function shrinkAllResults(messages: PromptMessage[], room: number, count: CountMessages): Promise<Smaller> {
  const { number, ...shrunk } = await shrinkResults(messages, room, count);
  return { ...shrunk, note: number > 0 ? "shortened the newest tool result too" : "" };
}

/** The oldest first. */
async function shrinkResults(messages: readonly PromptMessage[], room: number, count: CountMessages) {
  const shrunk = [...messages];
  let freed = 0;
  let number = 0;
  for (const [at, message] of messages.entries()) {
    if (freed >= room) break;
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
  if (part.type !== "tool-result") return part;
  const text = shortenedResult(part.text);
  return text === part.text ? part : { ...part, text };
}

/** Drops whole turns from the oldest on, never the last user message and what follows it. */
async function snipHistory(messages: readonly PromptMessage[], room: number, count: CountMessages): Promise<Smaller> {
  const head = messages[0]?.role === "system" ? 1 : 0;
  const starts = messages.flatMap(({ role }, at) => (role === "user" && at >= head ? [at] : []));
  const tokens = await count(messages);
  const lastStart = starts.at(-1) ?? head;
  let freed = 0;
  let at = head;
  while (at < lastStart && (freed < room || messages[at]?.role !== "user")) freed += tokens[at++] ?? 0;
  const kept = [...messages.slice(0, head), ...messages.slice(at)];
  return { messages: kept, note: at > head ? `left out the ${at - head} oldest messages` : "" };
}
