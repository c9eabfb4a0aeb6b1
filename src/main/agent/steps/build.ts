import { AppError } from "../../../shared/errors.ts";
import type { ToolSpec } from "../../../shared/inference.ts";
import type { Message } from "../../../shared/message.ts";
import { sparing } from "../../lib/progress.ts";
import { finishGoalTool } from "../../tools/finish-goal.ts";
import type { Tool } from "../../tools/tool.ts";
import { goalOfTurn } from "../goals.ts";
import { historyShare, pickHistory } from "../history.ts";
import { runtimeContext, systemPrompt } from "../prompt.ts";
import { countedText, MESSAGE_OVERHEAD, toolsText } from "../tokens.ts";
import type { Runtime, SessionModel, Step, Turn, TurnDeps } from "../turn.ts";
import { appendUserMessage } from "../user-message.ts";

/** Freezes what the turn runs with, stores the user's row, and lays out the prompt. The row is on disk before the model is called. */
export const build: Step<"ok"> = async (turn, deps) => {
  deps.signal.throwIfAborted();
  const runtime = turn.runtime ?? (await freeze(turn, deps));
  const userMessage = turn.userMessage ?? storeUserMessage(turn, contextOf(turn.input, runtime, deps), deps);
  return { outcome: "ok", ...(await layOut({ ...turn, userMessage }, runtime, deps)) };
};

/** What Lares tells the model beside the user's words. */
export function contextOf(text: string, { info, workspace }: Runtime, { now, timeZone }: TurnDeps): string {
  return runtimeContext(text, { now: new Date(now()), timeZone, workspace }, info);
}

/** A turn that goes on after a crash: what `build` had made of it, made anew. Its user's row is stored. */
export async function prepare(turn: Turn, deps: TurnDeps) {
  const { userMessage } = turn;
  if (!userMessage) throw new AppError("internal", `Turn ${turn.id} came to run without its user's row.`);
  return layOut({ ...turn, userMessage }, await freeze(turn, deps), deps);
}

/** The prompt's fixed part, and the history that fits beside it. */
export async function layOut(turn: Turn & { userMessage: Message }, runtime: Runtime, deps: TurnDeps) {
  const system = systemPrompt(runtime.info);
  const history = await historyFor(turn, runtime, system, deps);
  return { runtime, userMessage: turn.userMessage, system, history, notes: [`${history.length} earlier rows`] };
}

/** With it the turn begins to wait for the model: one write. */
function storeUserMessage(turn: Turn, context: string, { store, now, emit }: TurnDeps): Message {
  const row = store.atomically(() => {
    store.setPhase(turn.id, "awaiting_model", 1);
    return appendUserMessage(store, turn, context, now());
  });
  emit({
    type: "checkpoint",
    sessionId: turn.sessionId,
    turnId: turn.id,
    phase: "awaiting_model",
    iteration: 1,
    at: now(),
  });
  return row;
}

async function freeze(turn: Turn, deps: TurnDeps): Promise<Runtime> {
  const { settings, tools, workspace, store, now } = deps;
  const { provider, info } = await openModel(turn.session ?? { id: turn.sessionId }, turn.id, deps);
  const goal = goalOfTurn(store, turn.sessionId, now());
  const offered = goal ? [...tools, finishGoalTool] : tools;
  return { provider, info, settings: settings(), tools: offered, workspace: workspace() };
}

/** Makes the model of a session ready for a turn, and tells how far it is. Throws as Models.provider and Provider.open do. */
export async function openModel(session: SessionModel, turnId: string, deps: TurnDeps) {
  const { models, signal, emit, monotonicMs } = deps;
  const telling = (phase: "fetching" | "loading") => (done: number, total: number) =>
    emit({ type: "progress", sessionId: session.id, turnId, phase, done, total });
  const fetching = sparing(telling("fetching"), monotonicMs); // a download has a word for every packet
  const provider = await models.provider(session, signal, fetching);
  const info = await provider.open(signal, telling("loading"));
  for (const text of info.notices ?? []) emit({ type: "notice", sessionId: session.id, turnId, code: "info", text });
  return { provider, info };
}

/** A model that cannot be trusted to choose tools is not shown any. */
export const offeredTools = ({ info, tools }: Pick<Runtime, "info" | "tools">): ToolSpec[] =>
  info.toolLevel === "named" ? [] : tools.map(specOf);

/** What can cross to another process: words, no functions. */
const specOf = ({ name, description, inputSchema }: Tool): ToolSpec => ({ name, description, inputSchema });

/** Tokens that a prompt may have. */
export const promptBudget = ({ info, settings }: Pick<Runtime, "info" | "settings">): number =>
  info.window - Math.min(settings.maxOutputTokens, info.maxOutputTokens) - Math.min(1024, info.window / 8);

async function historyFor(
  turn: Turn & { userMessage: Message },
  runtime: Runtime,
  system: string,
  { rows, tokens }: TurnDeps,
): Promise<Message[]> {
  const { provider, info } = runtime;
  const count = (texts: readonly string[]) => tokens.count(provider, info, texts);
  const fixed = [system, toolsText(offeredTools(runtime)), countedText(turn.userMessage.parts)];
  const taken = (await count(fixed)).reduce((sum, tokens) => sum + tokens + MESSAGE_OVERHEAD, 0);
  const budget = (promptBudget(runtime) - taken) * historyShare(turn.overflows);
  return pickHistory({ rows, sessionId: turn.sessionId, before: turn.userMessage.id, budget, count });
}
