import { AppError, toWire } from "../../shared/errors.ts";
import type { ModelRequest, PromptMessage, ToolSpec } from "../../shared/inference.ts";
import type { Message } from "../../shared/message.ts";
import type { RequestRecord } from "../../shared/turn.ts";
import { askModel, type Reply } from "./ask-model.ts";
import { cargoOf } from "./cargo.ts";
import { continueNote, createJoin } from "./continuation.ts";
import { govern } from "./governance.ts";
import { rowsToSend } from "./leaving-prompt.ts";
import { addUsage, type Run, storeRequest } from "./run-state.ts";
import { offeredTools, promptBudget } from "./steps/build.ts";
import { toolsText } from "./tokens.ts";
import { toPrompt } from "./transcript.ts";

/**
 * Lays out the prompt, sends it and collects the answer. Throws AppError `context-overflow` when it cannot be made to
 * fit, and `never-cloud` when an answer would go on that may not leave this computer.
 */
export async function request(run: Run): Promise<Reply> {
  const { turn, runtime, deps, answer } = run;
  storeRequest(run); // the one before, if nothing came of it but this one
  const { settings, info } = runtime;
  const tools = offeredTools(runtime);
  const messages = await fittingPrompt(run, tools);
  const modelRequest: ModelRequest = {
    sessionId: turn.sessionId,
    turnId: turn.id,
    messages,
    tools,
    toolChoice: run.plain ? "none" : "auto",
    maxOutputTokens: Math.min(settings.maxOutputTokens, info.maxOutputTokens),
    sampling: { temperature: settings.temperature },
  };
  const ended = beginRequest(run, modelRequest);
  const join = createJoin(info.continues === "by-asking" ? answer.text() : "");
  const reply = await askModel({
    stream: (request, signal) => runtime.provider.stream(request, signal),
    request: modelRequest,
    signal: deps.signal,
    limits: {
      requestMs: settings.requestSeconds * 1000,
      streamMs: settings.streamSeconds * 1000,
      idleMs: settings.idleSeconds * 1000,
    },
    answer,
    joinText: join.push,
    onSent: (body) => deps.store.keepSent(turn.id, run.requests, body),
    onProgress: (event) => deps.emit({ ...event, sessionId: turn.sessionId, turnId: turn.id }),
  });
  answer.push("text", join.rest());
  ended(reply);
  note(run, reply);
  addUsage(run, reply.usage);
  return reply;
}

/** Told and counted before the model gets it. Returns what to do with the reply: its record is stored with what comes of it. */
function beginRequest(run: Run, sent: ModelRequest): (reply: Reply) => void {
  const { turn, runtime, deps } = run;
  const { name, local, window } = runtime.info;
  const clock = deps.monotonicMs();
  const request: RequestRecord = {
    turnId: turn.id,
    number: run.requests + 1,
    startedAt: deps.now(),
    model: { name, local, window },
    messages: sent.messages.length,
    tools: sent.tools.length,
  };
  const tell = (request: RequestRecord) =>
    deps.emit({ type: "request", sessionId: turn.sessionId, turnId: turn.id, request });
  deps.store.keepSent(turn.id, request.number, JSON.stringify(sent));
  run.requests = request.number;
  tell(request);
  return ({ finish, usage, trip, error }) => {
    const ms = deps.monotonicMs() - clock;
    const laden = trip && { ...trip, ...(run.cargo && { cargo: run.cargo }) };
    const came = { ...(usage && { usage }), ...(laden && { trip: laden }), ...(error && { error: toWire(error) }) };
    run.endedRequest = { ...request, ms, finish, ...came };
    tell(run.endedRequest);
  };
}

async function fittingPrompt(run: Run, tools: readonly ToolSpec[]): Promise<PromptMessage[]> {
  const { turn, runtime, deps, notes } = run;
  const count = deps.tokens.messages(runtime.provider, runtime.info);
  const [forTools = 0] = await deps.tokens.count(runtime.provider, runtime.info, [toolsText(tools)]);
  const budget = promptBudget(runtime) - forTools;
  const governed = await govern(await layOut(run), budget, count);
  notes.push(...governed.notes);
  if (governed.tokens <= budget) return governed.messages;
  throw new AppError(
    "context-overflow",
    `The message has about ${governed.tokens} tokens, and ${runtime.info.name} has room for ${Math.max(0, Math.floor(budget))}. ` +
      `Shorten it${turn.overflows > 0 ? "" : " or start a new chat"}, or choose a model with a larger window.`,
  );
}

/** System prompt, history, the turn's rows, and what the model has written of an answer that was cut. */
async function layOut(run: Run): Promise<PromptMessage[]> {
  const { turn, runtime, answer } = run;
  const half = answer.text() === "" ? undefined : halfRow(run);
  const rows = await rowsToSend(run, [...turn.history, ...run.rows, ...(half ? [half] : [])]);
  if (half && rows.at(-1)?.parts !== half.parts)
    throw new AppError(
      "never-cloud",
      `The half answer stays on this computer: a file that never leaves it was read for it. ${runtime.info.name} cannot go on with it. Ask again, or choose a local model.`,
    );
  run.cargo = cargoOf(rows);
  const prompt: PromptMessage[] = [
    { role: "system", parts: [{ type: "text", text: turn.system ?? "" }] },
    ...toPrompt(rows, turn.id),
  ];
  if (!half || runtime.info.continues === "in-place") return prompt;
  return [...prompt, { role: "user", parts: [{ type: "text", text: continueNote(answer.text()) }] }];
}

/** What is written of the answer, as a row like the others. */
const halfRow = ({ turn, answer, deps }: Run): Message => ({
  ...{ id: Number.MAX_SAFE_INTEGER, sessionId: turn.sessionId, turnId: turn.id, createdAt: deps.now() },
  ...{ role: "assistant", kind: "chat", origin: "model", status: "streaming", parts: answer.parts() },
});

function note(run: Run, { usage, finish, brokenCalls, error }: Reply): void {
  const numbers = usage
    ? `read ${usage.inputTokens - usage.reusedTokens} tokens (${usage.reusedTokens} reused), wrote ${usage.outputTokens}, first after ${Math.round(usage.firstTokenMs)} ms`
    : "no figures";
  run.notes.push(`request ${run.iteration}: ${error?.code ?? finish}, ${numbers}`);
  if (brokenCalls > 0) run.notes.push(`${brokenCalls} calls broke off and were not run`);
}
