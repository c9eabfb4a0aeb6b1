import { open } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AppError, toAppError } from "../../shared/errors.ts";
import { readModelFile } from "../engine/model-file.ts";
import { partNames } from "./parts.ts";

/** A model file that is there with all its parts. */
export interface WholeModel {
  /** Of the first part: what is opened. */
  readonly path: string;
  readonly bytes: number;
  readonly parts: readonly { readonly path: string; readonly bytes: number }[];
}

/**
 * Finds all parts of the model that `path` is, or is a part of. What can be said without loading it: the engine's child looks
 * closer. Throws AppError (model-missing, model-invalid) that names what is missing or wrong.
 */
export async function wholeModel(path: string): Promise<WholeModel> {
  const paths = partNames(basename(path)).map((name) => join(dirname(path), name));
  const parts = await Promise.all(paths.map((one) => looked(one, path)));
  for (const one of paths) await requireGguf(one);
  return { path: paths[0] ?? path, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), parts };
}

async function looked(part: string, wanted: string): Promise<{ path: string; bytes: number }> {
  try {
    return { path: part, bytes: (await readModelFile(part)).size };
  } catch (thrown) {
    if (part === wanted || toAppError(thrown).code !== "model-missing") throw thrown;
    throw new AppError(
      "model-missing",
      `${basename(part)} is missing: it belongs to ${basename(wanted)}, and both must be in one folder. Put it beside it.`,
      thrown,
    );
  }
}

async function requireGguf(path: string): Promise<void> {
  const file = await open(path).catch((cause: unknown) => {
    throw new AppError("model-missing", `The model ${path} cannot be read. Check its permissions.`, cause);
  });
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (buffer.toString("latin1") === "GGUF") return;
  } finally {
    await file.close();
  }
  throw new AppError("model-invalid", `${path} is not a model: its first bytes are not GGUF. Choose a .gguf file.`);
}
