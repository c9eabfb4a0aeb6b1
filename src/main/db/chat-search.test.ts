import { beforeEach, expect, test } from "vitest";
import { aRow, storedTurn } from "../../../tests/support/stored-turn.ts";
import { ChatHit } from "../../shared/views.ts";
import { createStore, type Store } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
  storedTurn(store);
});

test("a hit says where it is, who said it and when", () => {
  store.renameChat("s", "Tides");
  const { id } = store.append(aRow("The moon does it.", { role: "assistant", createdAt: 77 }));
  const hit = {
    chatId: "s",
    chatTitle: "Tides",
    turnId: "t",
    messageId: id,
    role: "assistant",
    snippet: "The moon does it.",
    createdAt: 77,
  };
  for (const query of ["moon", "oon d", "oe"]) expect(store.searchChats(query, 9)).toEqual([hit]);
  expect(ChatHit.parse(hit)).toEqual(hit);
});

test("all chats and hidden branches are searched, at most so many hits are given", () => {
  store.append(aRow("moon one"));
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  store.accept({ id: "again", sessionId: "s", channel: "test", text: "x", createdAt: 1, replaces: "t" });
  store.beginTurn({ id: "branch", sessionId: "s", inboundId: "again", startedAt: 1 });
  store.append(aRow("moon two", { turnId: "branch" }));
  storedTurn(store, "u", "other");
  store.append(aRow("moon three", { turnId: "u", sessionId: "other" }));
  const turns = store.searchChats("moon", 9).map(({ turnId }) => turnId);
  expect(turns.sort()).toEqual(["branch", "t", "u"]);
  expect(store.searchChats("moon", 2)).toHaveLength(2);
  expect(store.searchChats("", 9)).toEqual([]);
});
