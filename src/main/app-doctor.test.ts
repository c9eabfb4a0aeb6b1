import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../tests/support/stored-turn.ts";
import { HealthReport } from "../shared/health.ts";
import { examine } from "./app-doctor.ts";
import { doctorCode, doctorText } from "./channels/doctor.ts";
import { createStore } from "./db/store.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "lares.db");
  const store = createStore(file);
  storedTurn(store);
  store.append(aRow("a secret", { status: "pending" }));
  store.close();
});

const damage = () => {
  const sqlite = new Sqlite(file);
  sqlite.exec("UPDATE message SET created_at = 77");
  sqlite.close();
};

test("says of sound data that nothing is wrong, with what was looked at and when", () => {
  const report = examine(folder, { full: true, now: Date.UTC(2026, 11, 1, 9, 30) });
  expect(HealthReport.parse(report)).toEqual(report);
  expect(doctorCode(report)).toBe(0);
  expect(doctorText(report)).toMatch(/^Data folder: .*\n1 messages, /);
  expect(doctorText(report)).toMatch(/Search +good {2}\(2026-12-01 09:30 UTC\)\n {4}What search finds was compared/);
  expect(doctorText(report)).toMatch(/Nothing is wrong with the data\.\n$/);
});

test("says of damaged data what is wrong and what to do, with exit code 4 and without what was said", () => {
  damage();
  const report = examine(folder);
  expect(doctorCode(report)).toBe(4);
  expect(doctorText(report)).toMatch(
    /Messages +bad .*\n {4}Message 1 is not what was written\.\n {4}To do: Start Lares/,
  );
  expect(doctorText(report)).not.toContain("secret");
});

test("knows what the Lares of the folder found itself, unless it looks as deep", () => {
  const store = createStore(file);
  const problems = [{ code: "message", text: "Message 1 is not what was written." }];
  store.setSetting("health.looks", JSON.stringify([{ at: 5, depth: "full", problems, messages: 1 }]));
  store.close();
  expect(doctorCode(examine(folder))).toBe(4);
  expect(doctorCode(examine(folder, { full: true }))).toBe(0);
});

test("works beside a Lares that is writing, and changes nothing", () => {
  const store = createStore(file);
  store.append(aRow("more", { role: "assistant" }));
  const writer = new Sqlite(file, { timeout: 0 });
  writer.exec("BEGIN IMMEDIATE");
  const before = readFileSync(file, "base64");
  expect(examine(folder, { full: true })).toMatchObject({ messages: 2, storage: { mode: "normal" } });
  expect(readFileSync(file, "base64")).toBe(before);
  expect(readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /part|wanted/.test(name))).toEqual(
    [],
  );
  writer.close();
  store.close();
});

const strangers: Record<string, [make: () => void, code: string]> = {
  "a text file": [() => writeFileSync(file, "Dear diary, ".repeat(1_000)), "data-damaged"],
  "nothing at all": [() => writeFileSync(file, ""), "data-damaged"],
};
test.each(Object.entries(strangers))("%s is no reason to break off", (_, [make, code]) => {
  make();
  const report = examine(folder, { full: true });
  expect(doctorCode(report)).toBe(4);
  expect(report.items.find(({ id }) => id === "integrity")).toMatchObject({ state: "bad", code });
});

test("a folder without data is said to be one", () => {
  const report = examine(join(folder, "none"));
  expect(doctorCode(report)).toBe(4);
  expect(doctorText(report)).toMatch(/Lares was never started with this data folder/);
});
