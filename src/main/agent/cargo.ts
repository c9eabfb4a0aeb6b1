import { callsOf, type Message, textOf } from "../../shared/message.ts";
import type { Cargo } from "../../shared/network.ts";
import { GAP_RESULT } from "./withheld.ts";

/** Paths of the files whose text is among the rows, each once; a gap is no text. */
export function documentsIn(rows: readonly Message[]): string[] {
  const given = new Set(
    rows.flatMap(({ parts }) =>
      parts.flatMap((part) =>
        part.type === "tool-result" && !part.failed && part.text !== GAP_RESULT ? [part.callId] : [],
      ),
    ),
  );
  const read = rows
    .flatMap(({ parts }) => callsOf(parts))
    .filter(({ id, name }) => name === "read_file" && given.has(id));
  const paths = read.flatMap(({ input }) =>
    typeof input === "object" && input !== null && "path" in input ? [String(input.path)] : [],
  );
  return [...new Set(paths.filter((path) => !path.startsWith("result:")))]; // a piece of a long result is no file
}

/** What rows carry, for people: messages that were said, and files. */
export const cargoOf = (rows: readonly Message[]): Cargo => ({
  messages: rows.filter(
    ({ role, kind, status, parts }) =>
      role !== "tool" && kind === "chat" && status !== "hidden" && textOf(parts).trim() !== "",
  ).length,
  documents: documentsIn(rows).length,
});
