import { beforeEach, describe, expect, test } from "vitest";
import { aRow } from "../../../tests/support/stored-turn.ts";
import { textOf } from "../../shared/message.ts";
import { createStore, type Store } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
});

/** A turn of one row that has ended. */
function turn(id: string, replaces?: string, sessionId = "s"): void {
  begin(id, replaces, sessionId);
  store.append(aRow(id, { turnId: id, sessionId }));
  store.endTurn(id, { stopReason: "completed", endedAt: 9 });
}

function begin(id: string, replaces?: string, sessionId = "s"): void {
  const inbound = { id: `inbound of ${id}`, sessionId, channel: "test", text: id, createdAt: 1 };
  store.accept({ ...inbound, ...(replaces !== undefined && { replaces }) });
  store.beginTurn({ id, sessionId, inboundId: inbound.id, startedAt: 2 });
}

const shown = () => store.turnViews("s", { limit: 99 }).map((view) => view.turn.id);
const rows = (limit = 99) => store.page("s", { limit }).map(({ parts }) => textOf(parts));
const variants = (id: string) => store.turnView(id)?.variants;

/** a – b – c, and beside b: b2 – d, and beside both: b3. */
function tree(): void {
  for (const id of ["a", "b", "c"]) turn(id);
  turn("b2", "b");
  turn("d");
  turn("b3", "b2");
}

describe("a turn that replaces another", () => {
  test("stands in its place, and what followed that one is hidden", () => {
    for (const id of ["a", "b", "c"]) turn(id);
    turn("b2", "b");
    expect(shown()).toEqual(["a", "b2"]);
    expect(rows()).toEqual(["a", "b2"]);
    turn("d");
    expect(shown()).toEqual(["a", "b2", "d"]);
    expect(store.lastTurn("s")?.id).toBe("d");
    expect(store.check()).toEqual([]);
  });

  test("may replace the first of a chat, or one that was replaced already", () => {
    tree();
    expect(shown()).toEqual(["a", "b3"]);
    turn("a2", "a");
    expect(shown()).toEqual(["a2"]);
    turn("c2", "c");
    expect(shown()).toEqual(["a", "b", "c2"]);
    expect(store.check()).toEqual([]);
  });

  test("follows the shown ones as any other if its turn is of another chat or nowhere", () => {
    turn("a");
    turn("elsewhere", undefined, "other");
    turn("b", "elsewhere");
    turn("c", "none");
    expect(shown()).toEqual(["a", "b", "c"]);
    expect(variants("elsewhere")).toEqual(["elsewhere"]);
    expect(store.check()).toEqual([]);
  });

  test("hides nothing of another chat", () => {
    turn("there", undefined, "other");
    turn("a");
    turn("a2", "a");
    expect(store.page("other", { limit: 9 })).toHaveLength(1);
  });
});

describe("showing a turn", () => {
  beforeEach(tree);

  test("shows the way to it and the newest of what followed", () => {
    store.showTurn("b");
    expect(shown()).toEqual(["a", "b", "c"]);
    store.showTurn("b2");
    expect(shown()).toEqual(["a", "b2", "d"]);
    expect(rows()).toEqual(["a", "b2", "d"]);
    store.showTurn("a");
    expect(shown()).toEqual(["a", "b3"]);
    expect(store.check()).toEqual([]);
  });

  test("of the first turn goes through the newest branches, also far down", () => {
    store.showTurn("c");
    turn("e");
    turn("e2", "e");
    store.showTurn("d");
    store.showTurn("b");
    expect(shown()).toEqual(["a", "b", "c", "e2"]);
  });

  test("that is shown already changes nothing", () => {
    store.showTurn("b3");
    expect(shown()).toEqual(["a", "b3"]);
  });

  test("decides what the next turn follows, and which was the last one", () => {
    store.showTurn("b");
    expect(store.lastTurn("s")?.id).toBe("c");
    turn("f");
    expect(shown()).toEqual(["a", "b", "c", "f"]);
  });

  test("that is not there is an error", () => {
    expect(() => store.showTurn("none")).toThrow(expect.objectContaining({ code: "not-found" }));
  });

  test("while one runs leaves that one running, out of sight", () => {
    begin("running");
    store.showTurn("b");
    store.append(aRow("late", { turnId: "running" }));
    expect(rows()).toEqual(["a", "b", "c"]);
    expect(store.unfinishedTurns().map(({ id }) => id)).toEqual(["running"]);
    store.showTurn("running");
    expect(rows()).toEqual(["a", "b3", "late"]);
    expect(store.check()).toEqual([]);
  });
});

test("the variants of a turn are all that stand in its place, oldest first", () => {
  tree();
  for (const id of ["b", "b2", "b3"]) expect(variants(id)).toEqual(["b", "b2", "b3"]);
  expect(variants("c")).toEqual(["c"]);
  turn("a2", "a");
  expect(variants("a")).toEqual(["a", "a2"]);
});

test("a page goes over what is hidden and is full all the same", () => {
  for (let number = 0; number < 20; number++) turn(`t${number}`);
  turn("other", "t10");
  expect(rows(4)).toEqual(["t7", "t8", "t9", "other"]);
  const [first] = store.page("s", { limit: 4 });
  expect(store.page("s", { before: first?.id ?? 0, limit: 99 })).toHaveLength(7);
});

test("a message remembers what it replaces, and only then", () => {
  tree();
  expect(store.inbound("inbound of b2")?.replaces).toBe("b");
  expect(store.inbound("inbound of a")).not.toHaveProperty("replaces");
});
