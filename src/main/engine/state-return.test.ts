import { readdirSync, readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { knownCard } from "../../../tests/support/engine-child.ts";
import { isGone, noStop, temporaryFolder } from "../../../tests/support/fake-engine.ts";
import { writeGguf } from "../../../tests/support/gguf.ts";
import { starterModel } from "../../../tests/support/starter.ts";
import { aStateFolder, ask, begin, goOn, longText } from "../../../tests/support/state-folder.ts";
import type { LoadOptions } from "./protocol.ts";

// The real child and the real llama.cpp. Weights at random: whatever the model has read shows in what it says.

const aModel = (more: Partial<LoadOptions> = {}): LoadOptions => ({
  path: writeGguf(join(temporaryFolder(), "model.gguf"), { layers: 2 }),
  contextTokens: 2048,
  card: knownCard,
  ...more,
});

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).filter((name) => name !== "key");
  } catch {
    return [];
  }
};

test("after a restart the starter model reads only what is new of a chat, and answers as if it had read all", async () => {
  const { start } = aStateFolder();
  const model = { path: await starterModel(), contextTokens: 2048 };
  const sentences = Array.from({ length: 45 }, (_, at) => `Box ${at} has a blue lamp from the harbour.`).join(" ");
  const first = begin(`${sentences}\n\nWhat colour is the lamp?`);
  let engine = start();
  const { text, usage } = await ask(engine, model, "a", first);
  await engine.close();

  engine = start();
  const second = goOn(first, text, "What is the capital of Italy?");
  const after = await ask(engine, model, "a", second);
  await engine.close();
  expect(after.usage.reusedTokens).toBeGreaterThanOrEqual(usage.inputTokens + usage.outputTokens - 2);
  const whole = await ask(start({ states: { folder: temporaryFolder() } }), model, "a", second);
  expect(whole.usage.reusedTokens).toBe(0);
  expect(after.text).toBe(whole.text);
});

test("two chats take turns on one sequence, and each finds what was read of it", async () => {
  const { start, heard } = aStateFolder({ idleMs: 1 });
  const engine = start();
  const model = aModel();
  const [a, b] = [begin(longText("apple")), begin(longText("berry"))];
  let saved = heard("state.saved");
  const answerA = await ask(engine, model, "a", a);
  await saved;
  saved = heard("state.saved");
  const answerB = await ask(engine, model, "b", b);
  await saved;
  const againA = await ask(engine, model, "a", a);
  const againB = await ask(engine, model, "b", b);
  expect(againA.usage.reusedTokens).toBe(againA.usage.inputTokens - 1);
  expect(againB.usage.reusedTokens).toBe(againB.usage.inputTokens - 1);
  expect([againA.text, againB.text]).toEqual([answerA.text, answerB.text]);
});

test("a request that comes while a state is saved is answered, and what it brought is saved afterwards", async () => {
  const { start, heard, lines } = aStateFolder({ idleMs: 1 });
  const engine = start();
  const model = aModel();
  const first = begin(longText("apple"));
  const { text } = await ask(engine, model, "a", first);
  const saved = heard("state.saved");
  const second = await ask(engine, model, "a", goOn(first, text, longText("cherry")));
  expect(second.usage.reusedTokens).toBeGreaterThan(600);
  let { tokens } = await saved;
  while (Number(tokens) < second.usage.inputTokens) ({ tokens } = await heard("state.saved"));
  expect(lines.filter(({ event }) => event === "state.not-saved")).toEqual([]);
});

test("what is saved goes on growing with the chat, in one file", async () => {
  const { start, folder } = aStateFolder();
  const model = aModel();
  const first = begin(longText("apple"));
  let engine = start();
  const { text } = await ask(engine, model, "a", first);
  await engine.close();
  const before = filesIn(folder);
  engine = start();
  await ask(engine, model, "a", goOn(first, text, longText("cherry")));
  await engine.close();
  expect([before.length, filesIn(folder).length]).toEqual([2, 2]);
  expect(filesIn(folder)).not.toEqual(before);
});

test("nothing is kept of a private chat, of a short one, and of one that was deleted for good", async () => {
  const { start, folder } = aStateFolder();
  const model = aModel();
  const engine = start();
  await ask(engine, model, "private-1", begin(longText("apple")));
  await engine.unload();
  await ask(engine, model, "short", begin("Hello"));
  await engine.unload();
  await ask(engine, model, "deleted", begin(longText("apple")));
  await engine.forgetChat("deleted");
  await engine.unload();
  expect(filesIn(folder)).toEqual([]);
  await ask(engine, model, "kept", begin(longText("apple")));
  await engine.unload();
  expect(filesIn(folder)).toHaveLength(2);
  await engine.forgetChat("kept");
  expect(filesIn(folder)).toEqual([]);
});

test("a private chat is given nothing that was kept, and leaves nothing in what is kept of the next chat", async () => {
  const { start, folder } = aStateFolder();
  const model = aModel();
  const engine = start();
  await ask(engine, model, "a", begin(longText("apple")));
  await engine.unload();
  expect((await ask(engine, model, "private-1", begin(longText("apple")))).usage.reusedTokens).toBe(0);
  await engine.forgetChat("a");
  await ask(engine, model, "b", begin(longText("berry")));
  await engine.unload();
  const kept = Buffer.concat(filesIn(folder).map((name) => readFileSync(join(folder, name))));
  expect([kept.includes(asTokens("berry")), kept.includes(asTokens("apple"))]).toEqual([true, false]);
});

test.each([
  ["another window", { contextTokens: 1024 }],
  ["another type of cache", { run: { gpu: "off", flashAttention: "auto", cacheType: "q8_0", thinking: "auto" } }],
  ["without flash attention", { run: { gpu: "off", flashAttention: "off", cacheType: "f16", thinking: "auto" } }],
] satisfies [string, Partial<LoadOptions>][])("a state is not used with %s, and is gone", async (_name, more) => {
  const { start, lines } = aStateFolder();
  const model = aModel();
  let engine = start();
  await ask(engine, model, "a", begin(longText("apple")));
  await engine.close();
  engine = start();
  expect((await ask(engine, { ...model, ...more }, "a", begin(longText("apple")))).usage.reusedTokens).toBe(0);
  expect(lines).toContainEqual({ event: "state.refused", fields: { why: "other model or settings" } });
});

test("a state is not used with another model, nor with another file of the same name", async () => {
  const { start } = aStateFolder();
  const model = aModel();
  let engine = start();
  const chat = begin(longText("apple"));
  await ask(engine, model, "a", chat);
  await engine.close();
  engine = start();
  expect((await ask(engine, aModel(), "a", chat)).usage.reusedTokens).toBe(0);
  await engine.close();
  writeGguf(model.path, { layers: 3 });
  expect((await ask(start(), model, "a", chat)).usage.reusedTokens).toBe(0);
});

test("a child that is killed in the middle of a save leaves nothing half, and the chat is read again", async () => {
  const { start, folder, heard } = aStateFolder({ idleMs: 1 });
  const engine = start();
  const model = aModel();
  const saving = draftIn(folder);
  const noted = heard("state.not-saved");
  const { text } = await ask(engine, model, "a", begin(longText("apple")));
  await saving;
  const { pid = 0 } = engine;
  process.kill(pid, "SIGKILL");
  await isGone(pid);
  await noted;
  expect(filesIn(folder)).toEqual([]);
  const again = await ask(engine, model, "a", begin(longText("apple")));
  expect(again).toMatchObject({ text, usage: { reusedTokens: 0 } });
});

test("a model that is ended for another one has its chat saved first", async () => {
  const { start } = aStateFolder();
  const engine = start();
  const [one, other] = [aModel(), aModel()];
  const chat = begin(longText("apple"));
  await ask(engine, one, "a", chat);
  await engine.load(other, noStop());
  const { usage } = await ask(engine, one, "a", chat);
  expect(usage.reusedTokens).toBe(usage.inputTokens - 1);
});

test("a state that the engine dies of is not given to it a second time", async () => {
  const { start, folder, lines } = aStateFolder();
  const model = aModel();
  const chat = begin(longText("apple"));
  let engine = start();
  await ask(engine, model, "a", chat);
  await engine.close();
  engine = start();
  await engine.load(model, noStop());
  process.kill(engine.pid ?? 0, "SIGSTOP"); // so that it dies of the request and not before
  for (const name of filesIn(folder)) utimesSync(join(folder, name), 1, 1);
  const dying = ask(engine, model, "a", chat);
  await isUsed(folder);
  process.kill(engine.pid ?? 0, "SIGKILL");
  await expect(dying).rejects.toMatchObject({ code: "engine-crashed" });
  expect((await ask(engine, model, "a", chat)).usage.reusedTokens).toBe(0);
  expect(lines).toContainEqual({ event: "state.refused", fields: { why: "the engine stopped" } });
  expect(filesIn(folder)).toEqual([]);
});

/** Resolves when a first file has been made there. */
const draftIn = (folder: string) => becomes(() => filesIn(folder).length > 0);

/** Resolves when a state has been looked up. */
const isUsed = (folder: string) =>
  becomes(() => filesIn(folder).some((name) => statSync(join(folder, name)).mtimeMs > 1_000));

async function becomes(isTrue: () => boolean): Promise<void> {
  let ended = false;
  onTestFinished(() => {
    ended = true;
  });
  while (!ended && !isTrue()) await new Promise(setImmediate);
}

/** A text as the library stores it: the vocabulary is the 256 bytes, and a token a whole number of four bytes. */
const asTokens = (text: string): Buffer => Buffer.from(Int32Array.from(Buffer.from(text)).buffer);
