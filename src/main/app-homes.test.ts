import { createHash, randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { answers, aTool, modelsOf } from "../../tests/support/agent.ts";
import { calls, says, scriptedProvider } from "../../tests/support/scripted-provider.ts";
import { temporaryFolder } from "../../tests/support/stored-turn.ts";
import { Settings } from "../shared/settings.ts";
import { createTokenCounts } from "./agent/tokens.ts";
import { createHomes } from "./app-homes.ts";
import { createStore } from "./db/store.ts";
import { monotonicMs } from "./lib/clock.ts";
import { silentLog } from "./lib/log.ts";
import { createBreakers } from "./providers/breaker.ts";
import { createResultFiles } from "./tools/result-files.ts";

const LONG = "found ".repeat(5_000);
const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 32);

const find = calls({ name: "finds", input: {} });
const finding = [find, says("Yes."), find, says("Yes.")];

/** Both homes over one data folder; whatever is asked, a tool finds too much for a prompt. */
function aHouse(script: Parameters<typeof scriptedProvider>[0] = finding) {
  const folder = temporaryFolder();
  const hidden = createStore(":memory:");
  const forgotten: string[] = [];
  const homes = createHomes(
    { kept: createStore(join(folder, "lares.db")), private: hidden },
    {
      log: silentLog,
      now: Date.now,
      monotonicMs,
      random: Math.random,
      breakers: createBreakers(monotonicMs),
      newId: randomUUID,
      settings: () => Settings.parse({}),
      tokens: createTokenCounts(),
      timeZone: "UTC",
      workspace: () => folder,
      tools: [aTool("finds", answers(LONG))],
      namedFiles: async () => [],
      models: modelsOf(scriptedProvider(script)),
      emit: () => undefined,
    },
    {
      results: createResultFiles(join(folder, "results")),
      forgetChat: async (id) => void forgotten.push(id),
    },
  );
  const ask = async (sessionId: string) => {
    homes.loopOf(sessionId).accept({ id: randomUUID(), channel: "test", sessionId, text: "look" });
    await homes.idle();
  };
  const files = () => readdirSync(folder, { recursive: true, encoding: "utf8" });
  return { homes, hidden, ask, files, forgotten };
}

test("what the tools of a private chat found never touches the disk", async () => {
  const { homes, hidden, ask, files } = aHouse();
  const before = files();
  await ask("private-1");
  expect(files()).toEqual(before);
  const [, , result] = hidden.page("private-1", { limit: 10 });
  expect(JSON.stringify(result)).toMatch(/\[cut: 14000 more characters\]/);
  homes.close();
});

test("closing ends what runs in a private chat, as in any other", async () => {
  const { homes, hidden } = aHouse([[{ type: "text", text: "Half" }, { wait: 60_000 }]]);
  homes.loopOf("private-1").accept({ id: "m", channel: "test", sessionId: "private-1", text: "look" });
  await vi.waitFor(() => expect(hidden.page("private-1", { limit: 10 })).toHaveLength(2));
  await homes.endTurns();
  expect(hidden.page("private-1", { limit: 10 }).at(-1)).toMatchObject({ status: "incomplete" });
  expect(hidden.unfinishedTurns()).toEqual([]);
  homes.close();
});

test("what its tools found and the engine kept goes with a chat that is purged, and nothing of another; until then it can come back", async () => {
  const { homes, ask, files, forgotten } = aHouse();
  const results = () => files().filter((name) => name.endsWith(".txt"));
  await ask("a");
  await ask("b");
  const [ofA, ofB] = [digest("a"), digest("b")].map((home) => results().filter((name) => name.includes(home)));
  expect([ofA, ofB].map((names) => names?.length)).toEqual([1, 1]);
  homes.stores.kept.deleteChat("a", 1);
  homes.stores.kept.purgeChats(1);
  expect(results()).toHaveLength(2);
  expect(forgotten).toEqual([]);
  while (homes.stores.kept.purgeChats(2).length > 0);
  await vi.waitFor(() => expect(results()).toEqual(ofB));
  expect(new Set(forgotten)).toEqual(new Set(["a"]));
  homes.close();
});
