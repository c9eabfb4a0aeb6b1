import { AppError, type ErrorCode, toAppError } from "../../shared/errors.ts";
import { isPassing, type NextTry, nextTry } from "../providers/retry.ts";
import type { Reply } from "./ask-model.ts";
import { type Failure, fallBack, leftAlone, oneError, tellWhoAnswered } from "./fallback.ts";
import { request } from "./run-request.ts";
import { discardBlank, type Run, storeRequest } from "./run-state.ts";

/**
 * One answer, as long as there is a model to give it: after what passes by itself the same one is asked again, then the
 * next one that may be asked. A reply with an error is the last of them; where several were asked, it names them all.
 * Throws AppError `aborted`, and what `request` throws.
 */
export async function requestAnswer(run: Run): Promise<Reply> {
  const own = run.runtime;
  const failures = await passOver(run);
  while (true) {
    const { reply, passes } = await askOne(run, run.runtime !== own);
    const { error } = reply;
    if (!error && run.runtime !== own) tellWhoAnswered(run, failures);
    if (!error || error.code === "aborted") return reply;
    failures.push({ name: run.runtime.info.name, error });
    if (!passes || !(await fallBack(run, failures))) return { ...reply, error: oneError(failures, error) };
  }
}

/** A model that has just failed again and again is not asked while there is another one. */
async function passOver(run: Run): Promise<Failure[]> {
  const { key, name } = run.runtime.info;
  if (run.deps.breakers.admits(key)) return [];
  const failures = [{ name, error: leftAlone() }];
  return (await fallBack(run, failures)) ? failures : []; // nobody else: it is asked all the same
}

interface Outcome {
  /** Whatever is no answer has an error. */
  readonly reply: Reply;
  /** It is the model that failed, not the question: another one may have the answer. */
  readonly passes: boolean;
}

/** What keeps one model from being asked, and not another one. */
const unasked: ReadonlySet<ErrorCode> = new Set(["context-overflow", "never-cloud"]);

/** One model, until it answers or its tries are spent. One that is asked instead and gets no prompt is passed over. */
async function askOne(run: Run, instead: boolean): Promise<Outcome> {
  const { breakers } = run.deps;
  const { key } = run.runtime.info;
  try {
    const outcome = await tryAgain(run);
    if (!outcome.reply.error) breakers.succeeded(key);
    else if (isPassing(outcome.reply.error)) breakers.failed(key);
    else breakers.withdrew(key);
    return outcome;
  } catch (thrown) {
    breakers.withdrew(key);
    const error = toAppError(thrown);
    if (!instead || !unasked.has(error.code)) throw error;
    return { reply: { finish: "error", calls: [], brokenCalls: 0, error }, passes: true };
  }
}

/**
 * Text that is on the screen is not taken back: after it only a silence is waited out, and what comes then goes on from
 * its last words. All tries together have as long as one stream may take, so that an endless one ends.
 */
async function tryAgain(run: Run): Promise<Outcome> {
  const { deps, runtime } = run;
  const began = deps.monotonicMs();
  for (let failed = 1; ; failed++) {
    const before = run.answer.text().length;
    const reply = await request(run);
    const error = failureOf(reply, deps.signal);
    if (!error) return { reply, passes: false };
    const isShown = run.answer.text().slice(before).trim() !== "";
    const isSilence = error.code === "timeout";
    const isOver = isSilence && deps.monotonicMs() - began >= runtime.settings.streamSeconds * 1000;
    const passes = isPassing(error) && (!isShown || (isSilence && !isOver));
    const next = passes && !isOver && !deps.signal.aborted ? nextTry(error, failed, deps.random) : undefined;
    if (!next) return { reply: { ...reply, error }, passes: passes && !deps.signal.aborted };
    await waitFor(run, next, error);
  }
}

/** What came of the try before is on disk; thoughts without an answer are hidden, and begun anew. */
async function waitFor(run: Run, { attempt, of, waitMs }: NextTry, { code }: AppError): Promise<void> {
  const { turn, deps } = run;
  deps.store.atomically(() => {
    storeRequest(run);
    if (run.answer.text().trim() === "") discardBlank(run);
  });
  run.notes.push(`try ${attempt} of ${of} in ${(waitMs / 1000).toFixed(1)} s: ${code}`);
  const waiting = deps.pause.wait(waitMs, deps.signal);
  const wait = { attempt, of, until: deps.now() + waitMs, code };
  deps.emit({ type: "retry", sessionId: turn.sessionId, turnId: turn.id, wait });
  await waiting;
}

/** Why a reply is no answer; undefined when it is one. */
function failureOf({ error, finish }: Reply, signal: AbortSignal): AppError | undefined {
  if (error) return error;
  if (finish === "aborted" || signal.aborted) return new AppError("aborted", "Stopped.");
  if (finish !== "error") return undefined;
  return new AppError("provider-failed", "The model broke off before its answer was finished.");
}
