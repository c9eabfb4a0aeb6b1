import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { createEngine, type Engine, type EngineOptions } from "../../src/main/engine/keeper.ts";
import type { EngineMemory } from "../../src/main/engine/model-records.ts";
import type { LoadOptions } from "../../src/main/engine/protocol.ts";
import type { Log, LogFields } from "../../src/main/lib/log.ts";
import type { ModelEvent, ModelRequest } from "../../src/shared/inference.ts";

export const fakeChild = fileURLToPath(new URL("./fake-engine-child.mjs", import.meta.url));

/** One thing the fake child does; the whole list stands in fake-engine-child.mjs. */
export type FakeStep = Readonly<Record<string, unknown>>;
type FakeScript = readonly FakeStep[] | ReadonlyArray<readonly FakeStep[]>;

/** A signal that never fires. */
export const noStop = (): AbortSignal => new AbortController().signal;

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lares-engine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A "model" that makes the fake child do this. */
export function fakeModel(
  script: { load?: FakeScript; chat?: FakeScript; count?: FakeScript; inspect?: FakeScript } = {},
  name = "model.gguf",
  folder = temporaryFolder(),
): LoadOptions {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(script));
  return { path, contextTokens: 1024 };
}

/** What outlives an engine: a plain map. */
export function aMemory(): EngineMemory & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return { values, get: (key) => values.get(key), set: (key, value) => void values.set(key, value) };
}

/** A log that keeps its lines. */
export function aLog(): Log & { readonly lines: ReadonlyArray<{ event: string; fields: LogFields }> } {
  const lines: { event: string; fields: LogFields }[] = [];
  const keep = (event: string, fields: LogFields = {}) => void lines.push({ event, fields });
  return { lines, info: keep, warn: keep, error: keep };
}

/** An engine whose child is the fake one, closed after the test. Times are short, but long enough for a busy computer. */
export function fakeEngine(options: Partial<EngineOptions> = {}): Engine {
  const engine = createEngine({ memory: aMemory(), log: aLog(), entry: fakeChild, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

export const aRequest = (sessionId = "session"): ModelRequest => ({
  sessionId,
  turnId: "turn",
  messages: [],
  tools: [],
  toolChoice: "auto",
  maxOutputTokens: 16,
  sampling: { temperature: 0 },
});

/** All that a stream says; `onEvent` sees each event as it comes. */
export async function collect(
  stream: AsyncIterable<ModelEvent>,
  onEvent: (event: ModelEvent) => void = () => undefined,
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    onEvent(event);
  }
  return events;
}

/** The text of one answer. */
export async function answerOf(engine: Engine, model?: LoadOptions, sessionId?: string): Promise<string> {
  const events = await collect(engine.chat(aRequest(sessionId), noStop(), model));
  return events.map((event) => (event.type === "text" ? event.text : "")).join("");
}

/** Resolves when the process runs no more. A dead one that nobody has buried yet counts as gone. */
export async function isGone(pid: number): Promise<void> {
  while (isRunning(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Whether a living process has this id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
