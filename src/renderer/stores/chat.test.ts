import { expect, test } from "vitest";
import { AppError } from "../../shared/errors.ts";
import type { Host } from "../lib/host.ts";
import { createChat } from "./chat.ts";

/** A chat over a host that writes down what it is asked, and refuses it with `refusal` while there is one. */
function aChat() {
  const asked: [string, unknown][] = [];
  const refuses: { now?: AppError } = {};
  const host = {
    async call(name: string, input: unknown) {
      if (name !== "chats.open") asked.push([name, input]);
      if (refuses.now) throw refuses.now;
      return { repaired: false };
    },
    onEvents: () => () => undefined,
  } as unknown as Host;
  return { chat: createChat(host, "c"), asked, refuses };
}

test("a decision goes to its turn and its call", async () => {
  const { chat, asked } = aChat();
  await chat.continueTurn("t");
  await chat.dismissTurn("t");
  await chat.decideCall("t", "call", "not-happened");
  await chat.setWhen("m", "after");
  await chat.changeGoal("pause");
  expect(asked).toEqual([
    ["turns.continue", { turnId: "t" }],
    ["turns.dismiss", { turnId: "t" }],
    ["calls.decide", { turnId: "t", callId: "call", decision: "not-happened" }],
    ["waiting.when", { inboundId: "m", when: "after" }],
    ["goals.change", { chatId: "c", action: "pause" }],
  ]);
});

test("a decision that somebody else has taken already is said, and changes nothing here", async () => {
  const { chat, refuses } = aChat();
  refuses.now = new AppError("bad-request", "Nothing is to be decided about this answer any more.");
  expect(await chat.continueTurn("t")).toBe(false);
  expect(chat.store.getState().problem?.code).toBe("bad-request");
});

test("a message that the full disk refuses says so, and goes out once there is room", async () => {
  const { chat, refuses, asked } = aChat();
  refuses.now = new AppError("disk-full", "No room.");
  expect(await chat.send("hello")).toBe(false);
  expect(chat.store.getState().problem?.code).toBe("disk-full");
  delete refuses.now;
  expect(await chat.send("hello")).toBe(true);
  expect(chat.store.getState().problem).toBeNull();
  expect(asked.filter(([name]) => name === "turns.send")).toHaveLength(2);
});

test("a draft that could not be kept is kept with the next try", async () => {
  const { chat, refuses, asked } = aChat();
  refuses.now = new AppError("data-read-only", "Read-only.");
  chat.keepDraft("half a thought");
  chat.flush();
  await expect.poll(() => asked).toContainEqual(["chats.draft", { chatId: "c", text: "half a thought" }]);
  delete refuses.now;
  asked.length = 0;
  await new Promise((resolve) => setImmediate(resolve)); // the refusal has come back
  chat.flush();
  expect(asked).toEqual([["chats.draft", { chatId: "c", text: "half a thought" }]]);
});
