import { posix } from "node:path";
import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import { kindOfBinary } from "./file-kind.ts";
import { formatBytes } from "./format-bytes.ts";
import { type OpenFile, openFile } from "./paths.ts";
import { furthestBytes, type Lines, readLines } from "./read-lines.ts";
import { isResultName } from "./result-files.ts";
import { recogniseText, type TextEncoding } from "./text-encoding.ts";
import { defineTool, type ToolContext } from "./tool.ts";
import { nearestName } from "./validate.ts";
import { listWorkspace } from "./workspace-files.ts";

const resultCap = 16_000;
const roomForNotes = 500;
const headBytes = 64 * 1024;
const usualLines = 400;
const mostLines = 2000;

/** A text file of the workspace, or some lines of it. */
export const readFileTool = defineTool({
  name: "read_file",
  description: `Read a text file of the workspace. Gives up to ${usualLines} lines; ask again with fromLine for what follows.`,
  class: "read",
  timeoutMs: 20_000,
  resultCap,
  input: z.strictObject({
    path: z.string().describe("Path relative to the workspace"),
    fromLine: z.int().min(1).default(1).describe("First line to read, counted from 1"),
    lines: z.int().min(1).max(mostLines).default(usualLines).describe("How many lines at most"),
  }),
  async run({ path, fromLine, lines: most }, context) {
    const { signal } = context;
    const file = await opened(path, context);
    try {
      const encoding = isResultName(path) ? "utf-8" : await encodingOf(file); // a result was a text when it was kept
      const range = { fromLine, lines: most, characters: resultCap - roomForNotes };
      const found = await readLines(file.handle, encoding, range, signal);
      if (found.lines.length === 0 && (fromLine > 1 || found.more)) throw noSuchLine(file, fromLine, found);
      const text = found.lines.join("\n");
      const notes = notesOn(file, encoding, fromLine, found, text);
      const summary = `${file.path}, lines ${fromLine}-${fromLine + found.lines.length - 1}`;
      if (found.lines.length === 0) return { text: `[${file.path} is empty]`, summary: `${file.path}, empty` };
      return { text: [text, ...notes].join("\n"), summary };
    } finally {
      await file.handle.close();
    }
  },
});

/** A file of the workspace or, by the name that stands in a shortened result, that result. */
function opened(path: string, { workspace, signal, openResult }: ToolContext): Promise<OpenFile> {
  if (openResult && isResultName(path)) return openResult(path);
  return openFile(workspace, path).catch((thrown) => withSuggestion(thrown, path, workspace, signal));
}

async function encodingOf({ handle, path, bytes }: OpenFile): Promise<TextEncoding> {
  const { bytesRead, buffer } = await handle.read(new Uint8Array(headBytes), 0, headBytes, 0);
  const head = buffer.subarray(0, bytesRead);
  const encoding = recogniseText(head);
  if (encoding !== undefined) return encoding;
  throw new AppError(
    "tool-failed",
    `"${path}" is not a text: it is ${kindOfBinary(head)} of ${formatBytes(bytes)}. Ask for a text version of it.`,
  );
}

function noSuchLine({ path, bytes }: OpenFile, fromLine: number, { passed, more }: Lines): AppError {
  const has = more
    ? `has ${formatBytes(bytes)}, and line ${fromLine} is not in its first ${formatBytes(furthestBytes)}`
    : `has ${passed} ${passed === 1 ? "line" : "lines"} and no line ${fromLine}`;
  return new AppError("tool-failed", `"${path}" ${has}.`);
}

/** What the model has to know about the text it gets: that it goes on, and how it was read. */
function notesOn({ bytes }: OpenFile, encoding: TextEncoding, fromLine: number, found: Lines, text: string): string[] {
  const notes: string[] = [];
  if (found.cut) notes.push(`[line ${fromLine} is longer and was cut after ${text.length} characters]`);
  if (found.more)
    notes.push(
      `[lines ${fromLine}-${found.passed} of a file of ${formatBytes(bytes)}; go on with fromLine: ${found.passed + 1}]`,
    );
  if (encoding !== "utf-8") notes.push(`[read as ${encoding.toUpperCase()}]`);
  if (text.includes("\ufffd")) notes.push("[some bytes are not valid text and are shown as \ufffd]");
  return notes;
}

/** A path that is not there gets the one that was probably meant. */
async function withSuggestion(thrown: unknown, path: string, workspace: string, signal: AbortSignal): Promise<never> {
  if (!(thrown instanceof AppError) || thrown.code !== "not-found") throw thrown;
  const paths = (await listWorkspace(workspace, signal)).files.map((file) => file.path);
  const base = posix.basename(path.replaceAll("\\", "/")).toLowerCase();
  const meant = paths.find((one) => posix.basename(one).toLowerCase() === base) ?? nearestName(path, paths);
  const hint = meant === undefined ? "list_files shows what there is." : `Did you mean "${meant}"?`;
  throw new AppError("not-found", `${thrown.message} ${hint}`, thrown);
}
