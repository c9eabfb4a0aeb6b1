import { AppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import { exitCodeOf, exitCodes } from "../../shared/exit-codes.ts";
import type { Decision } from "../../shared/turn.ts";
import { type Conversation, createConversation, type Outcome } from "./conversation.ts";
import { harmless } from "./harmless.ts";
import { findCall, type LeftTurn, leftTurns, leftWords, nextWords, waits, writtenText } from "./left-turns.ts";
import type { Road } from "./road.ts";
import { createTerminalView, type Output } from "./terminal.ts";

/** What the flags say is to be done. */
export interface RecoveryPlan {
  readonly goOn: boolean;
  readonly dismiss: boolean;
  /** Calls, by number or id. */
  readonly decisions: readonly { readonly call: string; readonly decision: Decision }[];
}

export interface RecoverOptions {
  readonly road: Road;
  readonly output: Output;
  readonly json: boolean;
  readonly trace: boolean;
  /** Only of this chat. */
  readonly session?: string | undefined;
  readonly plan: RecoveryPlan;
  /** Asks the person, if there is one; undefined: they left. */
  readonly ask?: ((question: string) => Promise<string | undefined>) | undefined;
  /** Told of what runs, so that it can be stopped. */
  readonly onRun: (conversation: Conversation) => void;
  /** Resolves when what waited behind a decided turn is done as well. */
  readonly idle: () => Promise<void>;
}

/**
 * `lares recover`: shows what a crash left, and does what the flags or the person say. Returns the exit code: 7 while
 * something waits. Throws AppError (bad-request, not-found).
 */
export async function recover(options: RecoverOptions): Promise<number> {
  const { plan, ask } = options;
  const turns = await read(options);
  const isPlanned = plan.goOn || plan.dismiss || plan.decisions.length > 0;
  const work = isPlanned ? carryOut(turns, options) : ask ? askAbout(turns, ask, options) : list(turns, options);
  const code = await work;
  await options.idle();
  if (code !== exitCodes.ok) return code;
  const left = (await read(options)).filter(waits).length;
  if (turns.length === 0) options.output.aside("Nothing waits for you.\n");
  return left > 0 ? exitCodes.waiting : exitCodes.ok;
}

const read = async ({ road, session }: RecoverOptions): Promise<LeftTurn[]> =>
  leftTurns((await road.call("turns.left", {})).left, session);

/** Shows everything. An answer that was whole is delivered by that; for a program it stays until it says so. */
async function list(turns: readonly LeftTurn[], options: RecoverOptions): Promise<number> {
  const { output, json } = options;
  for (const [at, turn] of turns.entries()) {
    if (json) output.out(`${JSON.stringify({ type: "left", ...turn })}\n`);
    else output.out(`${harmless(leftWords(turn, at + 1))}\n`);
    if (!json && !waits(turn)) await dismiss(turn, options);
  }
  output.aside(nextWords(turns));
  return exitCodes.ok;
}

/** Does what the flags say. What they are about must be plain before anything is done. */
async function carryOut(turns: readonly LeftTurn[], options: RecoverOptions): Promise<number> {
  const { plan } = options;
  const decided = plan.decisions.map(({ call, decision }) => ({ ...findCall(turns, call), decision }));
  const about = plan.goOn || plan.dismiss ? ofOneChat(turns) : [];
  let code: number = exitCodes.ok;
  for (const turn of new Set(decided.map((one) => one.turn))) {
    const decisions = decided.filter((one) => one.turn === turn);
    const decide = () => decideAll(turn, decisions, options);
    if (isLast(turn, decisions)) code ||= await goOn(turn, decide, options);
    else await decide();
  }
  const undecided = about.filter((turn) => !decided.some((one) => one.turn === turn && isLast(turn, decided)));
  for (const turn of undecided) {
    if (!plan.dismiss && waits(turn)) code ||= await continueTurn(turn, options);
    else if (plan.dismiss || deliver(turn, options)) await dismiss(turn, options);
  }
  return code;
}

type Decided = readonly { readonly turn: LeftTurn; readonly call: { callId: string }; readonly decision: Decision }[];

/** After these decisions nothing of the turn is unknown: it goes on by itself. */
function isLast(turn: LeftTurn, decided: Decided): boolean {
  const calls = decided.filter((one) => one.turn === turn).map(({ call }) => call.callId);
  return turn.unknown.every(({ callId }) => calls.includes(callId));
}

function ofOneChat(turns: readonly LeftTurn[]): readonly LeftTurn[] {
  const chats = [...new Set(turns.map(({ chatId }) => chatId))];
  if (chats.length <= 1) return turns;
  throw new AppError(
    "bad-request",
    `Answers wait in ${chats.length} chats (${chats.join(", ")}). Name one: --session ID`,
  );
}

async function decideAll({ turnId }: LeftTurn, decisions: Decided, { road }: RecoverOptions): Promise<void> {
  for (const { call, decision } of decisions)
    await road.call("calls.decide", { turnId, callId: call.callId, decision });
}

async function dismiss({ turnId }: LeftTurn, { road }: RecoverOptions): Promise<void> {
  await road.call("turns.dismiss", { turnId });
}

/** Prints an answer that was whole. A program reads it where it is. */
function deliver(turn: LeftTurn, { output, json }: RecoverOptions): boolean {
  if (!json) output.out(`${harmless(writtenText(turn))}\n`);
  return !json;
}

const continueTurn = (turn: LeftTurn, options: RecoverOptions): Promise<number> =>
  goOn(turn, async () => void (await options.road.call("turns.continue", { turnId: turn.turnId })), options);

/** Shows a turn from its beginning, the words that were there before included, to its end. */
async function goOn(turn: LeftTurn, begin: () => Promise<void>, options: RecoverOptions): Promise<number> {
  const { road, output, json, trace } = options;
  const { chatId: sessionId, turnId, written } = turn;
  const view = createTerminalView({ output, json, trace });
  function show(event: TurnEvent): void {
    view.show(event);
    if (json || event.type !== "turn.started" || event.turnId !== turnId) return;
    for (const { messageId, text } of written) view.show({ type: "delta", sessionId, turnId, messageId, text });
  }
  const conversation = createConversation({ road, sessionId, newId: () => turnId, show });
  options.onRun(conversation);
  const end = await conversation.follow(turnId, begin);
  await options.idle(); // what waited behind it is shown as well
  conversation.close();
  return codeOf(end, options);
}

function codeOf(end: Outcome, { output, json }: RecoverOptions): number {
  if ("stopReason" in end) return exitCodeOf(end);
  if (json) output.out(`${JSON.stringify({ type: "error", error: end.error })}\n`);
  output.aside(`${harmless(end.error.message)}\n`);
  return exitCodeOf(end);
}

type Ask = (question: string) => Promise<string | undefined>;

/** One turn after the other. Who leaves, leaves the rest as it is. */
async function askAbout(turns: readonly LeftTurn[], ask: Ask, options: RecoverOptions): Promise<number> {
  let code: number = exitCodes.ok;
  for (const [at, turn] of turns.entries()) {
    options.output.aside(`${harmless(leftWords(turn, at + 1))}\n`);
    if (!waits(turn)) await dismiss(turn, options);
    else code ||= await askAboutOne(turn, ask, options);
  }
  return code;
}

async function askAboutOne(turn: LeftTurn, ask: Ask, options: RecoverOptions): Promise<number> {
  const choice = await choose("(c)ontinue, (d)ismiss, or (l)ater? ", "cdl", ask);
  if (choice === "d") await dismiss(turn, options);
  if (choice !== "c") return exitCodes.ok;
  if (turn.unknown.length === 0) return continueTurn(turn, options);
  const decided: Decided[number][] = [];
  for (const call of turn.unknown) {
    const question = `Did ${call.name} [${call.number}] happen? (y)es, (n)o, run it (a)gain, or (l)ater? `;
    const decision = decisions[await choose(harmless(question), "ynal", ask)];
    if (!decision) return exitCodes.ok;
    decided.push({ turn, call, decision });
  }
  return goOn(turn, () => decideAll(turn, decided, options), options);
}

const decisions: Readonly<Record<string, Decision>> = { y: "happened", n: "not-happened", a: "again" };

/** One of these letters; who leaves chooses the last. */
async function choose(question: string, letters: string, ask: Ask): Promise<string> {
  for (;;) {
    const answer = await ask(question);
    if (answer === undefined) return letters.slice(-1);
    const letter = answer.trim().toLowerCase().slice(0, 1);
    if (letter !== "" && letters.includes(letter)) return letter;
  }
}
