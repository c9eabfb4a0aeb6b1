import { expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import { AppError } from "../../shared/errors.ts";
import type { NumberedEvent } from "../../shared/stream.ts";
import type { ChatSnapshot } from "../../shared/views.ts";
import type { Host } from "../lib/host.ts";
import { createFeed } from "./chat-feed.ts";
import { type ChatState, closedChat } from "./chat-state.ts";

const snapshot = (at: number): ChatSnapshot => ({
  chat: {
    id: "s",
    title: `at ${at}`,
    pinned: false,
    neverCloud: false,
    private: false,
    createdAt: 1,
    updatedAt: 1,
    state: "idle",
  },
  turns: [],
  hasEarlier: false,
  waiting: [],
  draft: "",
  at,
});
const stale = (n: number): NumberedEvent => ({ n, event: { type: "chat.stale", chatId: "s" } });

/** A feed whose snapshots a test hands out one by one. */
function aFeed() {
  const asked: PromiseWithResolvers<ChatSnapshot>[] = [];
  let tell: (events: readonly NumberedEvent[]) => void = () => undefined;
  const host = {
    call: () => {
      asked.push(Promise.withResolvers());
      return asked.at(-1)?.promise;
    },
    onEvents: (listener: typeof tell) => {
      tell = listener;
      return () => undefined;
    },
  } as unknown as Host;
  const store = createStore<ChatState>(() => closedChat);
  const attempt = async (work: () => Promise<unknown>) =>
    work().then(
      () => true,
      () => false,
    );
  const feed = createFeed({ host, chatId: "s", store, attempt });
  return { asked, store, feed, tell: (...events: NumberedEvent[]) => tell(events) };
}

test("a chat that changes while it is read is read again", async () => {
  const { asked, store, feed, tell } = aFeed();
  void feed.read();
  await expect.poll(() => asked.length).toBe(1);
  tell(stale(6));
  asked[0]?.resolve(snapshot(5));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.resolve(snapshot(7));
  await expect.poll(() => store.getState().chat?.title).toBe("at 7");
  expect([store.getState().isStale, asked.length]).toEqual([false, 2]);
});

test("a chat that cannot be read again is not asked for without end", async () => {
  const { asked, store, feed, tell } = aFeed();
  void feed.read();
  await expect.poll(() => asked.length).toBe(1);
  asked[0]?.resolve(snapshot(5));
  await expect.poll(() => store.getState().status).toBe("open");
  tell(stale(6));
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.reject(new AppError("not-found", "gone"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(asked.length).toBe(2);
});
