import { stat } from "node:fs/promises";
import { AppError } from "../../shared/errors.ts";

/** A file as it was when it was looked at: another size or time of change is another file. */
export interface ModelFile {
  readonly path: string;
  readonly size: number;
  /** Epoch milliseconds. */
  readonly changed: number;
}

/** Looks at a model's file. Throws AppError `model-missing` or `model-invalid`, naming it. */
export async function readModelFile(path: string): Promise<ModelFile> {
  const found = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === "ENOENT" || cause.code === "ENOTDIR" ? "is not there" : "cannot be read";
    throw new AppError("model-missing", `The model ${path} ${reason}. Choose another one or put it back.`, cause);
  });
  if (!found.isFile()) throw invalid(path, found.isDirectory() ? "is a folder" : "is not a regular file");
  if (found.size === 0) throw invalid(path, "is empty");
  return { path, size: found.size, changed: found.mtimeMs };
}

function invalid(path: string, fault: string): AppError {
  return new AppError("model-invalid", `${path} ${fault}, not a model. Choose a .gguf file.`);
}
