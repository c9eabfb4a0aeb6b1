import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type FakeStep, fakeChild, fakeModel, isGone, temporaryFolder } from "../../../tests/support/fake-engine.ts";

const program = fileURLToPath(new URL("../../../tests/support/engine-parent.ts", import.meta.url));

/** Runs a parent with a fake child until the child's answer has begun. */
async function aParent(chat: readonly FakeStep[], end: string, entry = fakeChild) {
  const parent = spawn(process.execPath, [program, entry, fakeModel({ chat }).path, end], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const ended = once(parent, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  return { parent, ended, childPid: await childOf(parent) };
}

async function childOf(parent: ChildProcess): Promise<number> {
  for await (const line of createInterface({ input: parent.stdout as NonNullable<typeof parent.stdout> })) {
    const [word, pid] = line.split(" ");
    if (word === "answering") return Number(pid);
  }
  throw new Error("The parent ended before its child answered.");
}

test("a program whose answer is there ends by itself, and its child with it", async () => {
  const { ended, childPid } = await aParent([{ text: "a" }, { wait: 200 }, { text: "b" }], "answer");
  expect(await ended).toEqual([0, null]);
  await isGone(childPid);
});

test("a program that fails takes its child with it", async () => {
  const { ended, childPid } = await aParent([{ text: "a" }, { "until-abort": true }], "throw");
  expect(await ended).toEqual([1, null]);
  await isGone(childPid);
});

test("a program that exits takes even a child with it that is too busy to notice", async () => {
  const { ended, childPid } = await aParent([{ text: "a" }, { hang: true }], "exit");
  expect(await ended).toEqual([7, null]);
  await isGone(childPid);
});

test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("no child survives %s to its parent", async (signal) => {
  const { parent, ended, childPid } = await aParent([{ text: "a" }, { stuck: true }], "stay");
  parent.kill(signal);
  expect(await ended).toEqual([null, signal]);
  await isGone(childPid);
});

test("a child that is too busy to notice the death of its parent does not survive it, with a lifeline", async () => {
  const entry = join(temporaryFolder(), "child.ts");
  const lifeline = pathToFileURL(fileURLToPath(new URL("./lifeline.ts", import.meta.url))).href;
  const imports = [lifeline, pathToFileURL(fakeChild).href].map((url) => JSON.stringify(url));
  writeFileSync(entry, `import { holdLifeline } from ${imports[0]};\nholdLifeline();\nawait import(${imports[1]});`);
  const { parent, childPid } = await aParent([{ text: "a" }, { wait: 300 }, { hang: true }], "stay", entry);
  await new Promise((resolve) => setTimeout(resolve, 600));
  parent.kill("SIGKILL");
  await isGone(childPid);
});
