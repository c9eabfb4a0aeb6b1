import { basename } from "node:path";
import { presetIdOf } from "../../shared/cloud.ts";
import { AppError, toAppError } from "../../shared/errors.ts";
import { readNamedFiles } from "./run-calls.ts";
import type { Run } from "./run-state.ts";
import { layOut, openModel } from "./steps/build.ts";

/** A model that gave no answer. */
export interface Failure {
  /** Absent: it was not opened, and the error says of whom it speaks. */
  readonly name?: string;
  readonly error: AppError;
}

/**
 * The next model that may be asked goes on with the turn, from here to its end: the prompt is laid out anew for it.
 * False: there is none. One that cannot be opened is added to `failures` and passed over.
 */
export async function fallBack(run: Run, failures: Failure[]): Promise<boolean> {
  const { turn, deps, notes } = run;
  for (const model of deps.models.fallbacks(turn.session ?? { id: turn.sessionId })) {
    if (run.fallbacks.has(model)) continue;
    run.fallbacks.add(model);
    const before = run.runtime.info.name;
    try {
      await use(run, model);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (deps.signal.aborted) throw error;
      notes.push(`${model} cannot be asked: ${error.code}`);
      failures.push({ ...(presetIdOf(model) === undefined && { name: basename(model) }), error });
      continue;
    }
    tellSwitch(run, before, failures[0]?.error);
    return true;
  }
  return false;
}

async function use(run: Run, model: string): Promise<void> {
  const { deps } = run;
  const { userMessage } = run.turn;
  if (!userMessage) throw new AppError("internal", `Turn ${run.turn.id} has no user's row.`);
  const { provider, info } = await openModel({ id: run.turn.sessionId, model }, run.turn.id, deps);
  const runtime = { ...run.runtime, provider, info };
  const { system, history } = await layOut({ ...run.turn, userMessage }, runtime, deps);
  if (!deps.breakers.admits(info.key)) throw leftAlone();
  run.runtime = runtime;
  run.turn = { ...run.turn, system, history };
  if (run.rows.length === 1 && run.answer.isEmpty()) await readNamedFiles(run);
}

function tellSwitch({ turn, runtime, deps, notes }: Run, before: string, error: AppError | undefined): void {
  const { name } = runtime.info;
  const code = error?.code ?? "provider-failed";
  notes.push(`${name} is asked instead of ${before}: ${code}`);
  const wait = { attempt: 1, of: 1, until: deps.now(), code, fallback: name };
  deps.emit({ type: "retry", sessionId: turn.sessionId, turnId: turn.id, wait });
}

/** Nobody takes an answer for another model's. */
export function tellWhoAnswered({ turn, runtime, deps }: Run, [first]: readonly Failure[]): void {
  if (!first) return;
  const text = `Answered by ${runtime.info.name}, because ${inWords(first)}`;
  deps.emit({ type: "notice", sessionId: turn.sessionId, turnId: turn.id, code: first.error.code, text });
}

export const leftAlone = (): AppError =>
  new AppError("provider-failed", "It failed again and again just now, and is left alone for a minute.");

/** Of several models one error that names them all, with the code of the first: that one is the chat's own. */
export function oneError(failures: readonly Failure[], last: AppError): AppError {
  const [first, second] = failures;
  if (!first || !second) return last;
  return new AppError(first.error.code, `No model could answer. ${failures.map(inWords).join(" ")}`, last);
}

const inWords = ({ name, error }: Failure): string => (name === undefined ? "" : `${name}: `) + error.message;
