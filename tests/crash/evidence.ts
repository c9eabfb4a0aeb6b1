import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** What happened outside the store, in order: the second witness, which no crash of the store can change. */
export type Fact =
  /** The message was sent; acknowledged when `bus.ask` returned. */
  | { readonly type: "sent"; readonly id: string; readonly text: string }
  | { readonly type: "acknowledged"; readonly id: string; readonly text: string }
  /** A tool did its work. */
  | { readonly type: "effect"; readonly tool: string; readonly key: string }
  /** The person wants a call run once more. */
  | { readonly type: "again"; readonly key: string }
  /** Characters of the answer to `task` that the model has produced. */
  | { readonly type: "produced"; readonly task: string; readonly characters: number }
  /** The person sent a draft: it may come after what was acknowledged later. */
  | { readonly type: "drafted"; readonly text: string }
  /** The person let an interrupted answer be. */
  | { readonly type: "dismissed" | "stopped"; readonly sessionId: string }
  /** Something was refused with this code; "untyped" is none of ours. */
  | { readonly type: "refused"; readonly what: string; readonly code: string }
  | { readonly type: "ended"; readonly stopReason: string; readonly code: string };

const fileOf = (workspace: string): string => join(workspace, "evidence.jsonl");

/** Adds a fact. It is in the file when this returns, whatever kills the process next. */
export function note(workspace: string, fact: Fact): void {
  appendFileSync(fileOf(workspace), `${JSON.stringify(fact)}\n`);
}

/** The same, and on the disk: an effect that outlives a power cut. */
export function noteDurably(workspace: string, fact: Fact): void {
  const descriptor = openSync(fileOf(workspace), "a");
  try {
    writeSync(descriptor, `${JSON.stringify(fact)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export const factsIn = (workspace: string): Fact[] =>
  existsSync(fileOf(workspace)) ? parseFacts(readFileSync(fileOf(workspace), "utf8")) : [];

/** A line that a kill cut in the middle was never written. */
export const parseFacts = (text: string): Fact[] =>
  text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
