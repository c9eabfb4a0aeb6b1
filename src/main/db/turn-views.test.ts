import { beforeEach, describe, expect, test } from "vitest";
import { aRow, storedTurn, tableProblems } from "../../../tests/support/stored-turn.ts";
import { textOf } from "../../shared/message.ts";
import { TurnView } from "../../shared/views.ts";
import { createStore, type Store } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
});

const model = { name: "m", local: true, window: 8192 };

function fullTurn(id: string, sessionId = "s"): void {
  storedTurn(store, id, sessionId);
  const of = { turnId: id, sessionId };
  store.append(aRow(`question ${id}`, of));
  const look = store.append(aRow("look", { ...of, role: "assistant" }));
  store.insertCall({ id: `call`, turnId: id, messageId: look.id, name: "look", class: "read", state: "finished" });
  store.insertRequest({ turnId: id, number: 1, startedAt: 1, model, messages: 2, tools: 1 });
  store.keepSent(id, 1, "{}");
  for (const state of ["restore", "compact"] as const)
    store.advance({ turnId: id, state, outcome: "ok", startedAt: 1, ms: 1 }, "build");
  store.endTurn(id, { stopReason: "completed", endedAt: 9 });
}

const ids = (options: { before?: string; through?: string; limit: number }) =>
  store.turnViews("s", options).map(({ turn }) => turn.id);

test("a view has all of its turn and nothing of another, and is what the page is promised", () => {
  for (const id of ["a", "b", "c"]) {
    fullTurn(id);
    fullTurn(`other ${id}`, "other");
  }
  const views = store.turnViews("s", { limit: 9 });
  expect(views.map(({ turn }) => turn.id)).toEqual(["a", "b", "c"]);
  expect(views.map((view) => TurnView.parse(view))).toEqual(views);
  const [, view] = views;
  expect(view).toEqual({
    turn: store.turn("b"),
    inbound: store.inbound("inbound of b"),
    rows: store.turnMessages("b"),
    trace: store.trace("b"),
    requests: [{ turnId: "b", number: 1, startedAt: 1, model, messages: 2, tools: 1 }],
    calls: store.calls("b"),
    variants: ["b"],
    notices: [],
  });
  expect([view?.rows, view?.trace, view?.calls].map((list) => list?.length)).toEqual([2, 2, 1]);
  expect(store.turnView("b")).toEqual(view);
});

test("a turn that has only begun has a view, with what is streamed so far", () => {
  storedTurn(store);
  expect(store.turnView("t")).toMatchObject({ rows: [], trace: [], requests: [], calls: [], variants: ["t"] });
  const { id } = store.append(aRow("", { role: "assistant", status: "streaming", parts: [] }));
  store.appendChunk(id, "text", "so far");
  expect(store.turnView("t")?.rows.map(({ parts }) => textOf(parts))).toEqual(["so far"]);
  expect(store.turnView("none")).toBeUndefined();
  expect(store.turnViews("none", { limit: 9 })).toEqual([]);
});

test("rows that other turns wrote between, and rows after the end, belong to their turn", () => {
  storedTurn(store, "t");
  storedTurn(store, "u");
  store.append(aRow("1"));
  store.append(aRow("2", { turnId: "u" }));
  store.append(aRow("3"));
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  store.append(aRow("4", { turnId: "u" }));
  store.append(aRow("5"));
  const texts = store.turnViews("s", { limit: 9 }).map(({ rows }) => rows.map(({ parts }) => textOf(parts)));
  expect(texts).toEqual([
    ["1", "3", "5"],
    ["2", "4"],
  ]);
  expect(tableProblems(store)).toEqual([]);
});

test("notes and hidden rows are left out", () => {
  storedTurn(store);
  store.append(aRow("seen"));
  store.append(aRow("a note", { kind: "note" }));
  store.append(aRow("hidden", { role: "assistant", status: "hidden" }));
  store.append(aRow("a command", { kind: "command" }));
  expect(store.turnView("t")?.rows.map(({ parts }) => textOf(parts))).toEqual(["seen", "a command"]);
});

test("a long result of a tool is cut, between characters, and nothing else is", () => {
  storedTurn(store);
  const result = (text: string) => ({ type: "tool-result", callId: "c", name: "look", text, failed: false }) as const;
  const parts = [result("x".repeat(4_000)), result(`${"x".repeat(3_999)}👋 and more`)];
  const tool = store.append(aRow("", { role: "tool", parts }));
  store.append(aRow("y".repeat(9_000), { role: "assistant" }));
  const [seen, answer] = store.turnView("t")?.rows ?? [];
  expect(seen).toEqual({ ...tool, parts: [parts[0], result(`${"x".repeat(3_999)}…`)] });
  expect(textOf(answer?.parts ?? [])).toHaveLength(9_000);
  expect(store.turnMessages("t")[0]).toEqual(tool);
});

describe("turns of a chat", () => {
  beforeEach(() => {
    for (let number = 0; number < 10; number++) fullTurn(`t${number}`);
  });

  test("are the newest ones, oldest first", () => {
    expect(ids({ limit: 3 })).toEqual(["t7", "t8", "t9"]);
    expect(ids({ limit: 0 })).toEqual([]);
  });

  test("go on before the one that is shown already", () => {
    expect(ids({ before: "t7", limit: 3 })).toEqual(["t4", "t5", "t6"]);
    expect(ids({ before: "t1", limit: 3 })).toEqual(["t0"]);
    expect(ids({ before: "t0", limit: 3 })).toEqual([]);
    fullTurn("else", "other");
    for (const before of ["none", "else"])
      expect(() => ids({ before, limit: 3 })).toThrow(expect.objectContaining({ code: "not-found" }));
  });

  test("are as many as it takes to have one", () => {
    expect(ids({ through: "t5", limit: 3 })).toEqual(["t5", "t6", "t7", "t8", "t9"]);
    expect(ids({ through: "t9", limit: 3 })).toEqual(["t7", "t8", "t9"]);
    expect(ids({ through: "t0", before: "t2", limit: 1 })).toEqual(["t0", "t1"]);
    expect(ids({ through: "none", limit: 2 })).toEqual(["t8", "t9"]);
  });

  test("are those of the shown branch, with the rows of no other", () => {
    store.accept({ id: "again", sessionId: "s", channel: "test", text: "x", createdAt: 1, replaces: "t3" });
    store.beginTurn({ id: "branch", sessionId: "s", inboundId: "again", startedAt: 1 });
    const views = store.turnViews("s", { limit: 9 });
    expect(views.map(({ turn }) => turn.id)).toEqual(["t0", "t1", "t2", "branch"]);
    expect(views.map(({ rows }) => rows.length)).toEqual([2, 2, 2, 0]);
    expect(views.at(-1)).toMatchObject({ variants: ["t3", "branch"], inbound: { replaces: "t3" } });
    storedTurn(store, "next");
    expect(ids({ through: "t5", limit: 1 })).toEqual(["next"]);
    expect(store.turnView("t5")?.rows).toHaveLength(2);
  });
});
