import { createHash } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import type { Token } from "node-llama-cpp";
import { AppError } from "../../../shared/errors.ts";
import type { SavedState, StateContent, StateOutcome } from "../protocol.ts";
import type { Engine } from "./load.ts";

/** For fewer tokens than these a file is not worth the reading. */
const leastGain = 64;
const pieceBytes = 1 << 20;

/**
 * Writes what the sequence holds to `path`, a file that the caller has made, and says what is in it. llama.cpp cannot be
 * interrupted while it writes: a stop is heard afterwards. Throws disk-full when it would be more than `mostBytes`, and
 * disk-error.
 */
export async function saveState(
  { sequence }: Engine,
  path: string,
  mostBytes: number,
  signal: AbortSignal,
): Promise<StateContent> {
  if (sequence.context.stateSize > mostBytes)
    throw new AppError("disk-full", "There is no room for what the model has read.");
  const tokens = sequence.nextTokenIndex;
  const { fileSize: bytes } = await sequence.saveStateToFile(path).catch(notWritten);
  if (statSync(path).size !== bytes) notWritten();
  return { tokens, bytes, sha256: await digestOf(path, signal) };
}

function notWritten(cause?: unknown): never {
  throw new AppError("disk-error", "What the model has read could not be written.", cause);
}

/**
 * Takes a saved state back where it spares the reading of `prompt`; undefined where it does not. What is not byte for
 * byte what was saved is refused, and llama.cpp never sees it: its reader trusts its input.
 */
export async function restoreState(
  { sequence }: Engine,
  prompt: Token[],
  { path, tokens, sha256 }: SavedState,
  signal: AbortSignal,
): Promise<StateOutcome | undefined> {
  const { firstDifferentIndex } = sequence.compareContextTokens(prompt);
  if (firstDifferentIndex + leastGain > Math.min(tokens, prompt.length)) return undefined;
  try {
    if ((await digestOf(path, signal)) !== sha256) return "refused";
    await sequence.clearHistory(); // its checkpoints, too, would be taken for the other chat's
    await sequence.loadStateFromFile(path, { acceptRisk: true });
    if (sequence.nextTokenIndex === tokens) return "restored";
  } catch {
    if (signal.aborted) return undefined; // nothing is known against the file
  }
  await sequence.clearHistory();
  return "refused";
}

async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: pieceBytes, signal })) hash.update(piece);
  return hash.digest("hex");
}
