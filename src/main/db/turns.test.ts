import { beforeEach, expect, test } from "vitest";
import { aRow, storedTurn } from "../../../tests/support/stored-turn.ts";
import type { ToolCallRecord } from "../../shared/turn.ts";
import { createStore, type Store } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
  storedTurn(store);
});

const usage = { inputTokens: 9, reusedTokens: 3, outputTokens: 2, firstTokenMs: 80.5, decodeMs: 12.25 };
const error = { code: "timeout", message: "No answer.", retryable: true } as const;
const notFound = expect.objectContaining({ code: "not-found" });

test("a turn begins in restore, and what is not known yet is absent", () => {
  expect(store.turn("t")).toEqual({
    id: "t",
    sessionId: "s",
    inboundId: "inbound of t",
    state: "restore",
    iteration: 0,
    startedAt: 2,
  });
  expect(store.turn("none")).toBeUndefined();
});

test("a step moves the turn on and leaves its trace, in order", () => {
  const first = { turnId: "t", state: "restore", outcome: "ok", startedAt: 5, ms: 0.125 } as const;
  const second = {
    turnId: "t",
    state: "compact",
    outcome: "failed",
    startedAt: 4,
    ms: 3,
    error,
    notes: ["cut"],
  } as const;
  store.advance(first, "compact");
  store.advance({ ...second, notes: [...second.notes] }, "save");
  expect(store.turn("t")?.state).toBe("save");
  expect(store.trace("t")).toEqual([first, second]);
  expect(store.trace("none")).toEqual([]);
});

test("a step of no turn leaves no trace", () => {
  const entry = { turnId: "none", state: "run", outcome: "ok", startedAt: 1, ms: 1 } as const;
  expect(() => store.advance(entry, "save")).toThrow(notFound);
  expect(() => store.setPhase("none", "awaiting_model", 1)).toThrow(notFound);
  expect(() => store.endTurn("none", { stopReason: "error", endedAt: 1 })).toThrow(notFound);
  expect(store.trace("none")).toEqual([]);
});

test("the checkpoint of a run is its phase and iteration", () => {
  expect(store.turn("t")).not.toHaveProperty("phase");
  store.setPhase("t", "awaiting_model", 1);
  expect(store.turn("t")).toMatchObject({ phase: "awaiting_model", iteration: 1 });
  store.setPhase("t", "final_response", 3);
  expect(store.turn("t")).toMatchObject({ phase: "final_response", iteration: 3 });
});

test("the tools of a turn are completed when none of its calls is open", () => {
  store.append(aRow("look", { role: "assistant" }));
  store.insertCall(call("a"));
  store.insertCall(call("b"));
  store.setPhase("t", "awaiting_tools", 2);
  store.setCall("t", "a", { state: "failed" });
  expect(store.turn("t")?.phase).toBe("awaiting_tools");
  store.setCall("t", "b", { state: "finished" });
  expect(store.turn("t")).toMatchObject({ phase: "tools_completed", iteration: 2 });
});

test("an ended turn is done, and its first end counts", () => {
  store.endTurn("t", { stopReason: "error", endedAt: 9, usage, error });
  store.endTurn("t", { stopReason: "completed", endedAt: 10 });
  expect(store.turn("t")).toMatchObject({ state: "done", stopReason: "error", endedAt: 9, usage, error });
  expect(store.openSession("s", 99).updatedAt).toBe(9);
});

test("a turn can reach done first and be given its end after", () => {
  store.advance({ turnId: "t", state: "respond", outcome: "ok", startedAt: 1, ms: 1 }, "done");
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  expect(store.turn("t")).toMatchObject({ state: "done", stopReason: "completed", endedAt: 9 });
});

test("turns that did not end are found, oldest first", () => {
  storedTurn(store, "u", "other");
  storedTurn(store, "v");
  store.endTurn("u", { stopReason: "completed", endedAt: 9 });
  expect(store.unfinishedTurns().map(({ id }) => id)).toEqual(["t", "v"]);
});

test("the last turn of a session is the newest that has ended and was no slash command", () => {
  expect(store.lastTurn("s")).toBeUndefined();
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  storedTurn(store, "command");
  store.endTurn("command", { stopReason: "command", endedAt: 9 });
  storedTurn(store, "elsewhere", "other");
  expect(store.lastTurn("s")?.id).toBe("t");
  storedTurn(store, "running");
  expect(store.lastTurn("s")?.id).toBe("t");
  store.endTurn("running", { stopReason: "aborted", endedAt: 9 });
  expect(store.lastTurn("s")?.id).toBe("running");
  expect(store.lastTurn("none")).toBeUndefined();
});

const call = (id: string, more: Partial<ToolCallRecord> = {}): ToolCallRecord => {
  return { id, turnId: "t", messageId: 1, name: "read_file", class: "read", state: "requested", ...more };
};

test("calls come back in the order they were asked for, whatever their ids are", () => {
  store.append(aRow("look", { role: "assistant" }));
  for (const id of ["t_10", "t_2", "t_1"]) store.insertCall(call(id));
  expect(store.calls("t")).toEqual([call("t_10"), call("t_2"), call("t_1")]);
  expect(store.calls("none")).toEqual([]);
});

test("a call keeps what a change does not name", () => {
  store.append(aRow("look", { role: "assistant" }));
  store.insertCall(call("a", { class: "once" }));
  store.setCall("t", "a", { state: "running", startedAt: 5 });
  store.setCall("t", "a", { state: "finished", endedAt: 7, summary: "Read it." });
  expect(store.calls("t")).toEqual([
    call("a", { class: "once", state: "finished", startedAt: 5, endedAt: 7, summary: "Read it." }),
  ]);
});

test("a call needs its message and an id of its own", () => {
  const refused = expect.objectContaining({ code: "bad-request" });
  expect(() => store.insertCall(call("a"))).toThrow(refused);
  store.append(aRow("look", { role: "assistant" }));
  store.insertCall(call("a"));
  expect(() => store.insertCall(call("a"))).toThrow(refused);
  expect(() => store.setCall("t", "none", { state: "running" })).toThrow(notFound);
});
