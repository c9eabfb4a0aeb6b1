import { AppError } from "../../shared/errors.ts";
import type { CallOutput } from "../../shared/ipc.ts";
import { callsOf, textOf } from "../../shared/message.ts";
import type { Recovery, ToolCallState } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";

/** What a crash left of one turn, as the terminal tells of it. */
export interface LeftTurn {
  readonly chatId: string;
  readonly chatTitle: string;
  readonly turnId: string;
  readonly recovery: Recovery;
  readonly startedAt: number;
  /** What was written of the answer, a bubble each. */
  readonly written: readonly { readonly messageId: number; readonly text: string }[];
  /** Names of the calls that are over. */
  readonly done: readonly string[];
  readonly unknown: readonly UnknownCall[];
  readonly notStarted: readonly string[];
}

/** A call of which only the person can tell whether it happened. */
export interface UnknownCall {
  /** Its place among all that are listed, from 1: shorter to type than its id. */
  readonly number: number;
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
}

/** What is left, of one chat or of all, oldest first. */
export function leftTurns(left: CallOutput<"turns.left">["left"], chatId?: string): LeftTurn[] {
  let calls = 0;
  return left.flatMap(({ chatTitle, view }) => {
    const { id: turnId, sessionId, recovery, startedAt } = view.turn;
    if (!recovery || (chatId !== undefined && sessionId !== chatId)) return [];
    const unknown = unknownCalls(view).map((call) => ({ ...call, number: ++calls }));
    const about = { chatId: sessionId, chatTitle, turnId, recovery, startedAt, written: written(view), unknown };
    return [
      { ...about, done: named(view, ["finished", "failed"]), notStarted: named(view, ["requested", "approved"]) },
    ];
  });
}

/** Whether the person has something to decide about it. */
export const waits = ({ recovery }: LeftTurn): boolean => recovery !== "undelivered";

const written = ({ rows }: TurnView): LeftTurn["written"] =>
  rows
    .filter(({ role, kind, status }) => role === "assistant" && kind === "chat" && status !== "hidden")
    .map(({ id, parts }) => ({ messageId: id, text: textOf(parts) }))
    .filter(({ text }) => text !== "");

const named = ({ calls }: TurnView, states: readonly ToolCallState[]): string[] =>
  calls.filter(({ state }) => states.includes(state)).map(({ name }) => name);

/** A tool that was given up before the crash is unknown as well, but the model has been told so. */
function unknownCalls({ calls, rows }: TurnView): Omit<UnknownCall, "number">[] {
  const parts = rows.flatMap((row) => row.parts);
  const answered = new Set(parts.map((part) => (part.type === "tool-result" ? part.callId : "")));
  const asked = callsOf(parts);
  return calls
    .filter(({ id, state }) => state === "unknown" && !answered.has(id))
    .map(({ id, name }) => ({ callId: id, name, input: asked.find((call) => call.id === id)?.input }));
}

/** The call that a person means: by its number in the list, or by its id. Throws not-found and bad-request. */
export function findCall(turns: readonly LeftTurn[], named: string): { turn: LeftTurn; call: UnknownCall } {
  const all = turns.flatMap((turn) => turn.unknown.map((call) => ({ turn, call })));
  const byId = all.filter(({ call }) => call.callId === named);
  const found = byId.length > 0 ? byId : all.filter(({ call }) => `${call.number}` === named);
  if (found.length > 1) throw new AppError("bad-request", `${named} is more than one call. Name it by its number.`);
  const [one] = found;
  if (one) return one;
  const numbers = all.map(({ call }) => call.number).join(", ");
  const known = numbers === "" ? "No call waits to be decided." : `These wait to be decided: ${numbers}.`;
  throw new AppError("not-found", `There is no call ${named} to be decided. ${known}`);
}

const LONGEST_LINE = 100;

/** One turn for a person to read: where and when, what is done, what is not, and what can be done. */
export function leftWords(turn: LeftTurn, place: number): string {
  const { chatId, chatTitle, startedAt, unknown, done, notStarted } = turn;
  const when = new Date(startedAt).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const text = writtenText(turn);
  const lines = [
    turn.recovery === "undelivered" ? "Finished while nobody was looking:" : "Interrupted before it was finished.",
    ...(text === "" ? [] : waits(turn) ? [`Written so far: ${firstLine(text)}`] : [text]),
    ...(done.length > 0 ? [`Done: ${done.join(", ")}`] : []),
    ...unknown.map(({ number, name, input }) => `May have happened [${number}]: ${name} ${JSON.stringify(input)}`),
    ...(notStarted.length > 0 ? [`Not started: ${notStarted.join(", ")}`] : []),
  ];
  const title = chatTitle === "" ? "New chat" : firstLine(chatTitle);
  return [`${place}. ${title} (chat ${chatId}), ${when}`, ...lines].join("\n   ");
}

export const writtenText = ({ written }: LeftTurn): string => written.map(({ text }) => text).join("\n\n");

function firstLine(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return line.length < text.length || line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/** What can be typed to go on. */
export function nextWords(turns: readonly LeftTurn[]): string {
  const waiting = turns.filter(waits);
  if (waiting.length === 0) return "";
  const isUnknown = waiting.some(({ unknown }) => unknown.length > 0);
  const which = new Set(waiting.map(({ chatId }) => chatId)).size > 1 ? "--session ID " : "";
  const decide =
    "Look whether it happened, then say: --happened, --not-happened or --again (runs it again) with its number.\n";
  return `${isUnknown ? decide : ""}npm run -s recover -- ${which}--continue goes on; --dismiss leaves it as it is.\n`;
}
