import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../../tests/support/stored-turn.ts";
import { openDatabase } from "../open.ts";
import { beginRebuild, rebuildPiece } from "../search-index.ts";
import { createStore, type Store } from "../store.ts";
import { type Depth, lookAt, rebuildSearch } from "./jobs.ts";
import { createMaintenance } from "./maintenance.ts";

let file: string;
let store: Store;
beforeEach(() => {
  file = join(temporaryFolder(), "lares.db");
  store = createStore(file);
  storedTurn(store);
  store.append(aRow("hello", { status: "pending" }));
  return () => store.close();
});

function aThread(entry?: () => string) {
  const maintenance = createMaintenance(entry);
  onTestFinished(() => maintenance.close());
  return maintenance;
}

const tamper = (sql: string) => {
  const sqlite = new Sqlite(file);
  sqlite.exec(sql);
  sqlite.close();
};

describe("a look", () => {
  test.each<Depth>(["quick", "whole", "full"])(
    "%s finds nothing wrong with what was only written, and leaves nothing",
    (depth) => {
      expect(lookAt({ file, depth })).toMatchObject({ depth, problems: [], messages: 1, schema: 4 });
      const left = readdirSync(dirname(file), { recursive: true, encoding: "utf8" });
      expect(left.filter((name) => name.endsWith(".part"))).toEqual([]);
    },
  );

  test.each<[Depth, string[]]>([
    ["quick", ["message"]],
    ["whole", ["message"]],
    ["full", ["message"]],
  ])("%s finds a changed message", (depth, codes) => {
    tamper("UPDATE message SET status = 'pending', created_at = 99");
    expect(lookAt({ file, depth }).problems.map(({ code }) => code)).toEqual(codes);
  });

  test("only a full one compares search with the rows, and then it is made anew in a thread", async () => {
    store.append(aRow("about elephants", { role: "assistant" }));
    tamper("INSERT INTO message_word (message_word, rowid, text) VALUES ('delete', 2, 'about elephants')");
    expect(lookAt({ file, depth: "whole" }).problems).toEqual([]);
    expect(lookAt({ file, depth: "full" }).problems.map(({ code }) => code)).toEqual(["search"]);
    await aThread().run("rebuildSearch", { file });
    expect(lookAt({ file, depth: "full" }).problems).toEqual([]);
    expect(store.search("elephants", { limit: 5 })).toHaveLength(1);
  });

  test("while search is made anew what is said is found once, whether it was reached before or not, and a crash does not end it", () => {
    const connection = openDatabase(file);
    const said = (text: string) => store.append(aRow(text, { role: "assistant" }));
    for (let number = 0; number < 30; number++) said(`elephant ${number} ${"and more ".repeat(300)}`);
    const open = store.append(aRow("", { role: "assistant", status: "streaming", parts: [] }));
    connection.atomically(() => beginRebuild(connection));
    connection.atomically(() => rebuildPiece(connection));
    expect(lookAt({ file, depth: "quick" }).problems.map(({ code }) => code)).toEqual(["search"]);
    const parts = [{ type: "text", text: "elephant at last" }] as const;
    store.finish(open.id, { parts, status: "complete", finishedAt: 5 });
    said("elephant after");
    store.finish(1, { parts: [{ type: "text", text: "elephant before" }], status: "complete", finishedAt: 5 });
    connection.close(); // and a later run goes on
    rebuildSearch({ file });
    expect(lookAt({ file, depth: "full" }).problems).toEqual([]);
    expect(store.search("elephant", { limit: 100 })).toHaveLength(33);
  });

  test("nobody who writes waits for it: a lock would be refused at once", () => {
    const writer = new Sqlite(file, { timeout: 0 });
    writer.exec("BEGIN IMMEDIATE");
    expect(lookAt({ file, depth: "full" }).problems).toEqual([]);
    writer.close();
  });
});

describe("the thread", () => {
  test("does one job after the other, and says what came of each", async () => {
    const thread = aThread();
    const folder = join(dirname(file), "backups");
    const options = { file, folder, kind: "by-hand", now: 1_000 } as const;
    const [look, first, second] = await Promise.all([
      thread.run("lookAt", { file, depth: "quick" }),
      thread.run("backUp", options),
      thread.run("backUp", options),
    ]);
    expect(look.problems).toEqual([]);
    expect([first.name, second.name]).toEqual([expect.stringMatching(/000001/), expect.stringMatching(/000002/)]);
    expect(second.removed).toEqual([first.name]);
  });

  test("hands on an error with its code, and goes on", async () => {
    const thread = aThread();
    const nowhere = join(dirname(file), "none.db");
    await expect(thread.run("lookAt", { file: nowhere, depth: "full" })).rejects.toMatchObject({ code: "data-folder" });
    expect((await thread.run("lookAt", { file, depth: "full" })).problems).toEqual([]);
  });

  test("that dies or cannot start is an error and no end of the app", async () => {
    const entry = join(dirname(file), "worker.mjs");
    writeFileSync(entry, "process.exit(3)");
    await expect(aThread(() => entry).run("lookAt", { file, depth: "full" })).rejects.toMatchObject({
      code: "aborted",
    });
    const missing = aThread(() => join(dirname(file), "none.mjs"));
    await expect(missing.run("lookAt", { file, depth: "full" })).rejects.toThrow();
  });

  test("ends with the app in the middle of its job, and takes no other", async () => {
    const entry = join(dirname(file), "worker.mjs");
    writeFileSync(entry, "setInterval(() => undefined, 1000)");
    const thread = aThread(() => entry);
    const job = expect(thread.run("lookAt", { file, depth: "full" })).rejects.toMatchObject({ code: "aborted" });
    await new Promise((resolve) => setImmediate(resolve)); // it has begun
    await thread.close();
    await job;
    await expect(thread.run("lookAt", { file, depth: "full" })).rejects.toMatchObject({ code: "aborted" });
  });
});
