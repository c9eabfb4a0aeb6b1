import { createHash } from "node:crypto";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asks, EngineChild, says, sharedChild } from "../../../../tests/support/engine-child.ts";
import { temporaryFolder } from "../../../../tests/support/fake-engine.ts";
import { writeGguf } from "../../../../tests/support/gguf.ts";
import { longText } from "../../../../tests/support/state-folder.ts";
import type { SavedState, StateContent } from "../protocol.ts";

const child = sharedChild();
const mostBytes = 1e9;
const chat = asks(longText("apple"), { maxOutputTokens: 4 });

/** A child's model, what it answers to a long chat, and the state that was saved of it. */
async function saved(model = {}): Promise<{ path: string; text: string; state: SavedState }> {
  const folder = temporaryFolder();
  const path = writeGguf(join(folder, "model.gguf"), { layers: 2, ...model });
  await child.load({ path });
  const { text } = await child.chat(chat);
  const file = join(folder, "state");
  writeFileSync(file, "");
  const content = await child.ask<StateContent>({ type: "save", path: file, mostBytes });
  return { path, text, state: { ...content, path: file } };
}

/** Asks a chat with a state; gives what became of the state, and how many tokens were not read. */
async function offer(state: SavedState, to = child) {
  let reused: number | undefined;
  const { reply } = to.send({ type: "chat", request: chat, state }, (one) => {
    if (one.type !== "events") return;
    for (const event of one.events) if (event.type === "usage") reused = event.usage.reusedTokens;
  });
  const last = await reply;
  return { outcome: last.type === "done" ? last.value : last, reused };
}

test("what is saved is told with its length and its hash", async () => {
  const { state } = await saved();
  expect(statSync(state.path).size).toBe(state.bytes);
  expect(createHash("sha256").update(readFileSync(state.path)).digest("hex")).toBe(state.sha256);
  expect(state.tokens).toBeGreaterThan(600);
});

test("a state is taken back when the sequence holds another chat, and not looked at when it holds this one", async () => {
  const { state, path } = await saved();
  expect((await offer({ ...state, path: "/not/there" })).outcome).toBeUndefined();
  await child.load({ path });
  await child.chat(asks("Hello"));
  const { outcome, reused } = await offer(state);
  expect(outcome).toBe("restored");
  expect(reused).toBeGreaterThan(600);
});

test("a state of another model with the right hash is refused by llama.cpp, and the chat is read", async () => {
  const { state } = await saved({ layers: 3 });
  const { text } = await saved();
  await child.chat(asks("Hello"));
  const { outcome, reused } = await offer(state);
  expect(outcome).toBe("refused");
  expect(reused).toBeLessThan(30);
  expect((await child.chat(chat)).text).toBe(text);
});

test("a state with another number of tokens than was told is refused", async () => {
  const { state, path } = await saved();
  await child.load({ path });
  expect(await offer({ ...state, tokens: state.tokens + 1 })).toEqual({ outcome: "refused", reused: 0 });
});

test("a full disk is said, and the model answers on from what it holds", async () => {
  await saved();
  const error = await child.refusal({ type: "save", path: "/dev/full", mostBytes });
  expect(error).toMatchObject({ code: "disk-error" });
  expect((await child.chat(chat)).usage?.reusedTokens).toBeGreaterThan(600);
});

test("what would be larger than there is room for is not written", async () => {
  const { state } = await saved();
  writeFileSync(state.path, "");
  const error = await child.refusal({ type: "save", path: state.path, mostBytes: state.bytes / 2 });
  expect(error.code).toBe("disk-full");
  expect(statSync(state.path).size).toBe(0);
});

test("a save that waits behind an answer is given up when it is stopped", async () => {
  const { state } = await saved();
  writeFileSync(state.path, "");
  const answer = child.chat(asks(longText("cherry"), { maxOutputTokens: 4 }));
  const save = child.send({ type: "save", path: state.path, mostBytes });
  child.abort(save.id);
  expect(await save.reply).toMatchObject({ type: "error", error: { code: "aborted" } });
  await answer;
  expect(statSync(state.path).size).toBe(0);
});

test("with a sliding window, too, a state taken back goes on as if all had been read", async () => {
  const sliding = {
    architecture: "gemma3",
    metadata: [{ key: "gemma3.attention.sliding_window", type: "u32", value: 256 }],
  };
  const { state, path, text } = await saved(sliding);
  const fresh = new EngineChild();
  const second = asks("", { messages: [...chat.messages, says("assistant", text), says("user", "And now?")] });
  const whole = await child.chat(second);
  await fresh.load({ path });
  let after = "";
  const { reply } = fresh.send({ type: "chat", request: second, state }, (one) => {
    if (one.type === "events") for (const event of one.events) if (event.type === "text") after += event.text;
  });
  expect(await reply).toMatchObject({ type: "done", value: "restored" });
  expect(after).toBe(whole.text);
  await fresh.stop();
});
