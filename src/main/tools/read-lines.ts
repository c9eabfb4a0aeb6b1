import type { FileHandle } from "node:fs/promises";
import type { TextEncoding } from "./text-encoding.ts";

export interface LineRange {
  readonly fromLine: number;
  readonly lines: number;
  /** Room for the lines, their ends counted. */
  readonly characters: number;
}

export interface Lines {
  readonly lines: readonly string[];
  /** Lines that were passed, shown or not: all of the file, if nothing follows. */
  readonly passed: number;
  /** Whether something comes after the last shown line. */
  readonly more: boolean;
  /** The only line was longer than the room. */
  readonly cut: boolean;
}

const chunkBytes = 64 * 1024;
/** How far into a file lines are looked for. */
export const furthestBytes = 50_000_000;

/** Reads a range of lines and no more of the file than up to its end; keeps no more in memory than it returns. */
export async function readLines(
  handle: FileHandle,
  encoding: TextEncoding,
  range: LineRange,
  signal: AbortSignal,
): Promise<Lines> {
  const decoder = new TextDecoder(encoding);
  const collector = createCollector(range);
  const buffer = new Uint8Array(chunkBytes);
  for (let position = 0; position < furthestBytes; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    position += bytesRead;
    const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
    if (!collector.take(text)) return collector.result(true);
    if (bytesRead === 0) return collector.end();
  }
  return collector.result(true);
}

/** Takes decoded text piece by piece and keeps the wanted lines of it, as far as there is room. */
function createCollector({ fromLine, lines: most, characters }: LineRange) {
  const lines: string[] = [];
  let passed = 0;
  let line = "";
  let begun = false; // the present line has a character, kept or not
  let cut = false;
  let room = characters;
  const isWanted = () => passed >= fromLine - 1;
  const result = (more: boolean): Lines => ({ lines, passed, more, cut });

  /** Adds to the present line; false when nothing more fits. A first line that is too long is kept in part. */
  function grow(piece: string): boolean {
    begun ||= piece !== "";
    if (piece === "" || !isWanted()) return true;
    if (lines.length === most) return false;
    line += piece;
    if (line.length < room) return true;
    if (lines.length === 0) {
      lines.push(line.slice(0, room).toWellFormed());
      passed += 1;
      cut = true;
    }
    return false;
  }

  function endLine(): boolean {
    if (isWanted()) {
      if (lines.length === most || line.length >= room) return false;
      lines.push(line.endsWith("\r") ? line.slice(0, -1) : line);
      room -= line.length + 1;
    }
    passed += 1;
    line = "";
    begun = false;
    return true;
  }

  return {
    result,
    /** False when nothing more is wanted. */
    take(text: string): boolean {
      const pieces = text.split("\n");
      const last = pieces.pop() ?? "";
      return pieces.every((piece) => grow(piece) && endLine()) && grow(last);
    },
    /** The file is over. */
    end: (): Lines => result(begun && !endLine()),
  };
}
