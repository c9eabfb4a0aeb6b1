import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileLog } from "./log.ts";

const day = 86_400_000;
const start = Date.UTC(2026, 10, 30, 12);

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "lares-log-")), "logs");
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

const linesOf = (name: string): unknown[] =>
  readFileSync(join(folder, name), "utf8")
    .trimEnd()
    .split("\n")
    .map((text) => JSON.parse(text));

test("an event is one JSON line, with its time, in a file that only its owner can read", async () => {
  const log = createFileLog(folder, () => start);

  log.info("turn.start", { turn: "t1", level: "spoofed" });
  log.error("engine.exit", { code: 7, signal: undefined });
  await log.flush();

  expect(linesOf("2026-11-30.jsonl")).toEqual([
    { turn: "t1", time: "2026-11-30T12:00:00.000Z", level: "info", event: "turn.start" },
    { code: 7, time: "2026-11-30T12:00:00.000Z", level: "error", event: "engine.exit" },
  ]);
  expect(statSync(join(folder, "2026-11-30.jsonl")).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("a day has its own file and the seven newest are kept, whatever else lies in the folder", async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, "2026-01-01-notes.txt"), "mine");
  let now = start;
  const log = createFileLog(folder, () => now);

  for (let count = 0; count < 9; count += 1) {
    log.info("tick");
    if (count !== 4) await log.flush(); // two days may wait in one batch
    now += day;
  }

  const kept = ["02", "03", "04", "05", "06", "07", "08"].map((date) => `2026-12-${date}.jsonl`);
  expect(readdirSync(folder)).toEqual(["2026-01-01-notes.txt", ...kept]);
  expect(kept.map(linesOf).every((lines) => lines.length === 1)).toBe(true);
});

test("many lines at once all arrive, in order", async () => {
  const log = createFileLog(folder, () => start);

  for (let count = 0; count < 1_000; count += 1) {
    log.warn("tick", { count });
    if (count % 100 === 0) await log.flush();
  }
  await log.flush();

  expect(linesOf("2026-11-30.jsonl").map((line) => (line as { count: number }).count)).toEqual([
    ...Array(1_000).keys(),
  ]);
});

test("a folder that cannot be written costs lines, not the program, and the loss is told later", async () => {
  writeFileSync(folder, "a file where the folder should be");
  const log = createFileLog(folder, () => start);
  log.info("first");
  log.info("second");
  await log.flush();
  log.info("third");
  await log.flush();

  rmSync(folder);
  log.info("fourth");
  await log.flush();
  log.info("fifth");
  await log.flush();

  expect(linesOf("2026-11-30.jsonl")).toMatchObject([
    { event: "log.lost", lines: 3 },
    { event: "fourth" },
    { event: "fifth" },
  ]);
});

test("a folder that is deleted while Lares runs is made again", async () => {
  const log = createFileLog(folder, () => start);
  log.info("first");
  await log.flush();

  rmSync(folder, { recursive: true });
  log.info("second");
  await log.flush();
  log.info("third");
  await log.flush();

  expect(linesOf("2026-11-30.jsonl")).toMatchObject([{ event: "log.lost", lines: 1 }, { event: "third" }]);
});

test("no field of an event has a key in it: neither one that is kept, in any way of writing it, nor what looks like one", async () => {
  const secret = "canary+pass/word";
  const log = createFileLog(
    folder,
    () => start,
    () => [secret],
  );

  log.warn("call failed", {
    at: `at ask (${encodeURIComponent(secret)})`,
    code: "internal",
    url: `https://x.test/?q=${secret}`,
  });
  log.error("engine.exit", { said: "sk-CANARY-0123456789abcdef", bytes: 7 });
  await log.flush();

  expect(linesOf("2026-11-30.jsonl")).toEqual([
    expect.objectContaining({ at: "at ask ([key removed])", code: "internal", url: "https://x.test/?q=[key removed]" }),
    expect.objectContaining({ said: "[key removed]", bytes: 7 }),
  ]);
});
