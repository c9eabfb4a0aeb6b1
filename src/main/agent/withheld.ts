import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Mark } from "../../shared/cloud.ts";
import { callsOf, type Message, type Part, type ToolCallPart } from "../../shared/message.ts";
import type { RequestRecord } from "../../shared/turn.ts";

/** What stands where a text stays on this computer. */
export const GAP_RESULT = "[This file is marked never to leave the computer. Its text was left out.]";
export const GAP_ANSWER = "[This answer stays on the computer: a file that never leaves it was read before.]";

export interface LeavingRules {
  readonly marks: readonly Mark[];
  /** The folder that the paths of calls begin in. */
  readonly workspace: string;
  /** Whether the answer of a turn was made by a cloud model, which had the gaps already. */
  readonly wentOut: (turnId: string) => boolean;
  /** A marked file was read before these rows (`readsMarked`). */
  readonly readBefore?: boolean;
}

/** Whether a turn was answered beyond this computer, all of it: one that another model went on with was not. */
export const isFromBeyond = (requests: readonly RequestRecord[]): boolean =>
  requests.some(({ trip }) => trip !== undefined && trip.place !== "this-computer") &&
  requests.every(({ model, trip }) => !model.local && trip?.place !== "this-computer");

export interface Withheld {
  readonly rows: readonly Message[];
  /** Texts that were left out. */
  readonly gaps: number;
}

/**
 * The rows as they may leave this computer: what was read of a marked file is a stated gap, and so is every later answer
 * of a model that had it in its prompt. What the person wrote stays. The same rows always give the same gaps.
 */
export function withhold(rows: readonly Message[], rules: LeavingRules): Withheld {
  const isMarked = markedPaths(rules);
  if (!isMarked) return { rows, gaps: 0 };
  const withheldCalls = new Set<string>();
  let isTainted = rules.readBefore ?? false;
  let gaps = 0;

  /** What a long result names is a piece of it, of whichever call. */
  const isMarkedCall = ({ input }: ToolCallPart): boolean =>
    pathOf(input)?.startsWith("result:") ? isTainted : isMarked(input);

  function withoutResults(part: Part): Part {
    if (part.type !== "tool-result" || !withheldCalls.has(part.callId)) return part;
    gaps += 1;
    return { ...part, text: GAP_RESULT };
  }

  const kept = rows.map((row): Message => {
    if (row.role === "tool") return { ...row, parts: row.parts.map(withoutResults) };
    if (row.role !== "assistant") return row;
    const saidAfter = isTainted && !rules.wentOut(row.turnId);
    for (const call of callsOf(row.parts).filter(isMarkedCall)) {
      withheldCalls.add(call.id);
      isTainted = true;
    }
    if (!saidAfter) return row;
    gaps += 1;
    return { ...row, parts: gapOf(row.parts) };
  });
  return { rows: kept, gaps };
}

/** Whether any of the rows reads a marked file. */
export function readsMarked(rows: readonly Message[], rules: Pick<LeavingRules, "marks" | "workspace">): boolean {
  const isMarked = markedPaths(rules);
  if (!isMarked) return false;
  return rows.some(({ parts }) => callsOf(parts).some(({ input }) => isMarked(input)));
}

/** Tells of a call's input whether its path is marked, or inside a marked folder; undefined: no file is marked. */
function markedPaths({ marks, workspace }: Pick<LeavingRules, "marks" | "workspace">) {
  const marked = marks.flatMap(({ kind, ref }) => (kind === "file" ? [realOf(ref)] : []));
  if (marked.length === 0) return undefined;
  return (input: unknown): boolean => {
    const path = pathOf(input);
    if (path === undefined) return false;
    const real = realOf(resolve(workspace, path));
    return marked.some((ref) => real === ref || real.startsWith(ref + sep));
  };
}

/** Calls keep their place, so that the results after them have theirs; of what they were called with, only the path. */
function gapOf(parts: readonly Part[]): Part[] {
  const calls = callsOf(parts).map(({ id, name, input }): Part => {
    const path = pathOf(input);
    return { type: "tool-call", id, name, input: path === undefined ? {} : { path } };
  });
  return calls.length > 0 ? calls : [{ type: "text", text: GAP_ANSWER }];
}

function pathOf(input: unknown): string | undefined {
  const path = typeof input === "object" && input !== null && "path" in input ? input.path : undefined;
  return typeof path === "string" ? path : undefined;
}

/** A marked file stays marked under whatever name a link gives it. */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return resolve(path); // not there any more: then its name has to do
  }
}
