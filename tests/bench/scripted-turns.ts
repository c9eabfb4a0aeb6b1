import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Connection } from "../../src/main/db/connection.ts";
import { openDatabase } from "../../src/main/db/open.ts";
import { type Store, storeOn } from "../../src/main/db/store.ts";
import { anAgent, answers, aTool } from "../support/agent.ts";
import { calls, says, scriptedProvider } from "../support/scripted-provider.ts";

export interface ScriptedTurns {
  readonly store: Store;
  /** How often something was put on the disk so far, for good. */
  commits(): number;
  /** One turn with so many tool steps, one call each. Returns its milliseconds. */
  turn(sessionId: string, toolSteps: number): Promise<number>;
}

/** Runs `work` with the real loop over a store as durable as the app's, or over one in memory; the model and the tools cost nothing. */
export async function withScriptedTurns<T>(
  where: "file" | "memory",
  work: (turns: ScriptedTurns) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "lares-bench-"));
  const { connection, commits } = counting(openDatabase(where === "file" ? join(folder, "lares.db") : ":memory:"));
  const store = storeOn(connection);
  const model = scriptedProvider([], { info: { window: 32_768, local: false } });
  const agent = anAgent({ model, store, tools: [aTool("look", answers("nothing here"))] });

  async function turn(sessionId: string, toolSteps: number): Promise<number> {
    for (let step = 0; step < toolSteps; step++)
      model.reply(...calls({ name: "look", input: { path: `${step}.txt` } }));
    model.reply(...says("That is all."));
    const start = performance.now();
    const { stopReason } = await agent.say("Look around, please.", sessionId);
    const ms = performance.now() - start;
    if (stopReason !== "completed") throw new Error(`The turn was to be completed, and is ${stopReason}.`);
    return ms;
  }

  try {
    return await work({ turn, store, commits });
  } finally {
    await agent.loop.close();
    store.close();
    rmSync(folder, { recursive: true });
  }
}

/** Counts the outermost transactions: each one waits for the disk. */
function counting(connection: Connection) {
  let depth = 0;
  let commits = 0;
  function atomically<T>(work: () => T): T {
    if (depth++ === 0) commits++;
    try {
      return connection.atomically(work);
    } finally {
      depth--;
    }
  }
  return { connection: { ...connection, atomically }, commits: () => commits };
}
