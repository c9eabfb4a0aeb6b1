import type { PromptMessage } from "../../shared/inference.ts";
import { callsOf, type Message, type Part, type ToolResultPart, textOf } from "../../shared/message.ts";

/**
 * Stored rows as the model reads them: commands are left out, notes of finished turns too; what Lares read by itself
 * (origin `named`) stands in the user's message; results follow their calls in call order. The same rows always give
 * the same prompt, so that the prefix a model has read stays valid.
 */
export function toPrompt(rows: readonly Message[], currentTurnId?: string): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  const seen = rows.filter((row) => isSpoken(row, currentTurnId));
  for (let at = 0; at < seen.length; ) {
    const row = seen[at] as Message;
    const results = resultsAfter(seen, at);
    at += 1 + results.length;
    if (row.origin === "named") foldIntoUser(prompt, row, results);
    else prompt.push(...speak(row), ...inCallOrder(row, results));
  }
  return mergeNeighbours(prompt);
}

function isSpoken({ kind, status, turnId }: Message, currentTurnId?: string): boolean {
  return kind === "note" ? turnId === currentTurnId : kind === "chat" && status !== "hidden";
}

/** The tool rows that directly follow the row at `at`. */
function resultsAfter(rows: readonly Message[], at: number): Message[] {
  let end = at + 1;
  while (rows[end]?.role === "tool") end++;
  return rows.slice(at + 1, end);
}

/**
 * An answer that broke off shows that it did. One without a word is left out: a small model takes an error in its
 * history for the way to answer, and says it again.
 */
function speak(row: Message): PromptMessage[] {
  if (row.role === "tool") return [{ role: "tool", parts: row.parts }]; // an orphan: governance drops it
  if (row.role === "user") return [{ role: "user", parts: [{ type: "text", text: userText(row.parts) }] }];
  const parts = row.parts.filter(({ type }) => type !== "error");
  if (parts.length === 0) return [];
  const brokeOff = parts.length < row.parts.length && callsOf(parts).length === 0;
  return [{ role: "assistant", parts: brokeOff ? [...parts, { type: "text", text: " […]" }] : parts }];
}

/** Lares' own words first, the user's last: small models answer what they read last. */
function userText(parts: readonly Part[]): string {
  const context = parts.flatMap((part) => (part.type === "context" ? [part.text] : []));
  return [...context, textOf(parts)].join("\n\n");
}

function inCallOrder(row: Message, results: readonly Message[]): PromptMessage[] {
  const order = callsOf(row.parts).map(({ id }) => id);
  const placeOf = (message: Message) => {
    const [part] = message.parts;
    const place = part?.type === "tool-result" ? order.indexOf(part.callId) : -1;
    return place === -1 ? order.length : place;
  };
  return [...results]
    .sort((one, other) => placeOf(one) - placeOf(other))
    .map(({ parts }) => ({ role: "tool" as const, parts }));
}

/** Puts what was read for the user before the user's own words. */
function foldIntoUser(prompt: PromptMessage[], row: Message, results: readonly Message[]): void {
  const user = prompt.at(-1);
  if (user?.role !== "user") return;
  const paths = new Map(callsOf(row.parts).map(({ id, input }) => [id, pathOf(input)]));
  const read = results.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? [asRead(paths.get(part.callId) ?? "", part)] : [])),
  );
  prompt[prompt.length - 1] = {
    role: "user",
    parts: [{ type: "text", text: [...read, textOf(user.parts)].join("\n\n") }],
  };
}

const asRead = (path: string, { failed, text }: ToolResultPart): string =>
  failed ? `(The file ${path} could not be read: ${text})` : fenced(path, text.trim());

/** Twelve ways to show a file to the starter model were measured; a fence with the path was among the best. */
function fenced(path: string, text: string): string {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}${path}\n${text}\n${fence}`;
}

function pathOf(input: unknown): string {
  return typeof input === "object" && input !== null && "path" in input ? String(input.path) : "";
}

/**
 * Neighbours of one role are one message, because every provider wants alternation: an answer and its continuation, a
 * question that was never answered and the next one.
 */
export function mergeNeighbours(messages: readonly PromptMessage[]): PromptMessage[] {
  const merged: PromptMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === "assistant" && message.role === "assistant" && callsOf(last.parts).length === 0) {
      merged[merged.length - 1] = { role: "assistant", parts: [...last.parts, ...message.parts] };
    } else if (last?.role === "user" && message.role === "user") {
      const text = [textOf(last.parts), textOf(message.parts)].join("\n\n");
      merged[merged.length - 1] = { role: "user", parts: [{ type: "text", text }] };
    } else {
      merged.push(message);
    }
  }
  return merged;
}
