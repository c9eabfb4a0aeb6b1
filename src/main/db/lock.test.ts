import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { lockDataFolder } from "./lock.ts";

const busy = expect.objectContaining({ code: "data-busy" });

/** Another process that holds the folder until it is killed. */
async function anotherHolder(folder: string) {
  const program = `
    import { lockDataFolder } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    await lockDataFolder(${JSON.stringify(folder)}, { waitMs: 0 });
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

test("a folder is held once, also inside one process, and given to the next after its release", async () => {
  const folder = temporaryFolder();
  const first = await lockDataFolder(folder, { waitMs: 0 });
  await expect(lockDataFolder(folder, { waitMs: 0 })).rejects.toThrow(busy);
  await expect(lockDataFolder(folder, { waitMs: 0 })).rejects.toThrow(`Another Lares is using ${folder}`);
  first.release();
  first.release();
  const second = await lockDataFolder(folder, { waitMs: 0 });
  second.release();
});

test("two folders are held independently", async () => {
  const locks = await Promise.all([1, 2].map(() => lockDataFolder(temporaryFolder(), { waitMs: 0 })));
  for (const lock of locks) lock.release();
});

test("whoever waits is told once and gets the folder when it is free, while everything else goes on", async () => {
  const folder = temporaryFolder();
  const first = await lockDataFolder(folder, { waitMs: 0 });
  const told: string[] = [];
  const second = lockDataFolder(folder, { waitMs: 20_000, onWait: () => told.push("wait") });
  setTimeout(() => {
    told.push("release");
    first.release();
  }, 250);
  (await second).release();
  expect(told).toEqual(["wait", "release"]);
});

test("another process keeps the folder until it dies, and its death leaves nothing to clean up", async () => {
  const folder = temporaryFolder();
  const holder = await anotherHolder(folder);
  await expect(lockDataFolder(folder, { waitMs: 150 })).rejects.toThrow(busy);
  const waiting = lockDataFolder(folder, { waitMs: 20_000 });
  holder.kill("SIGKILL");
  (await waiting).release();
  expect(readdirSync(folder)).toEqual(["lock"]);
});

test("a folder that is not there cannot be held", async () => {
  const folder = join(temporaryFolder(), "none");
  await expect(lockDataFolder(folder, { waitMs: 0 })).rejects.toThrow(expect.objectContaining({ code: "data-folder" }));
});

test("of twenty that start at once one gets the folder, and the others are told that it is taken", async () => {
  const folder = temporaryFolder();
  const program = `
    import { lockDataFolder } from ${JSON.stringify(join(import.meta.dirname, "lock.ts"))};
    const lock = await lockDataFolder(${JSON.stringify(folder)}, { waitMs: 0 }).catch(({ code }) => code);
    console.log(lock?.release ? "held" : lock);
    process.stdin.resume().once("end", () => process.exit());`;
  const starts = Array.from({ length: 20 }, () => spawn(process.execPath, ["--input-type=module", "--eval", program]));
  onTestFinished(() => {
    for (const child of starts) child.kill("SIGKILL");
  });
  const said = await Promise.all(starts.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()));
  expect(said.sort()).toEqual([...Array(19).fill("data-busy"), "held"]);
});

test("a copy of a folder that is held is nobody's: the lock that was copied with it means nothing", async () => {
  const folder = temporaryFolder();
  const first = await lockDataFolder(folder, { waitMs: 0 });
  const copy = join(temporaryFolder(), "copy");
  cpSync(folder, copy, { recursive: true });
  (await lockDataFolder(copy, { waitMs: 0 })).release();
  first.release();
});
