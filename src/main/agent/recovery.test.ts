import { describe, expect, test } from "vitest";
import { brief } from "../../../tests/support/agent.ts";
import { createStore } from "../db/store.ts";
import { reconcile } from "./recovery.ts";

/** A store as a crash left it: a turn in `restore`, then whatever the test adds. */
function aCrash(text = "hi") {
  const store = createStore(":memory:");
  store.openSession("s", 1);
  store.accept({ id: "m", sessionId: "s", channel: "test", text, createdAt: 1 });
  store.beginTurn({ id: "t", sessionId: "s", inboundId: "m", startedAt: 2 });
  const row = { sessionId: "s", turnId: "t", createdAt: 3 } as const;
  const rows = () => store.page("s", { limit: 100 }).map(brief);
  return { store, row, rows };
}

describe("after a crash", () => {
  test("before the user's row was stored, it is there all the same", () => {
    const { store, rows } = aCrash();
    expect(reconcile(store, 9)).toMatchObject([{ turnId: "t", what: "interrupted" }]);
    expect(rows()).toEqual(["user complete: hi", "assistant incomplete: !interrupted"]);
    expect(store.turn("t")).toMatchObject({ state: "done", stopReason: "interrupted" });
  });

  test("with half an answer, the half is kept and marked", () => {
    const { store, row, rows } = aCrash();
    store.append({ ...row, role: "user", status: "pending", parts: [{ type: "text", text: "hi" }] });
    const { id } = store.append({ ...row, role: "assistant", status: "streaming", parts: [] });
    store.appendChunk(id, "text", "Once ");
    store.appendChunk(id, "text", "upon");
    expect(reconcile(store, 9)).toMatchObject([{ text: "Once upon" }]);
    expect(rows()).toEqual(["user complete: hi", "assistant incomplete: Once upon !interrupted"]);
  });

  test.each([
    ["once", "unknown"],
    ["idempotent", "unknown"],
    ["read", "failed"],
  ] as const)("a %s call that was running is %s, and is not run", (toolClass, state) => {
    const { store, row } = aCrash();
    const { id } = store.append({ ...row, role: "assistant", status: "complete", parts: [] });
    store.insertCall({ id: "c", turnId: "t", messageId: id, name: "x", class: toolClass, state: "running" });
    reconcile(store, 9);
    expect(store.calls("t")[0]!.state).toBe(state);
  });

  test("with the answer whole but not shown, the turn is completed and its text given back", () => {
    const { store, row, rows } = aCrash();
    store.append({ ...row, role: "user", status: "complete", parts: [{ type: "text", text: "hi" }] });
    store.append({ ...row, role: "assistant", status: "complete", parts: [{ type: "text", text: "Hello." }] });
    store.setPhase("t", "final_response", 1);
    store.advance({ turnId: "t", state: "run", outcome: "ok", startedAt: 4, ms: 1 }, "save");
    expect(reconcile(store, 9)).toEqual([{ turnId: "t", sessionId: "s", what: "undelivered", text: "Hello." }]);
    expect(rows()).toEqual(["user complete: hi", "assistant complete: Hello."]);
  });

  test("a command that was cut off stays a command", () => {
    const { store } = aCrash("/help");
    reconcile(store, 9);
    expect(store.page("s", { limit: 9 }).map(({ kind }) => kind)).toEqual(["command", "command"]);
  });

  test("reconciling again finds nothing to do", () => {
    const { store, rows } = aCrash();
    reconcile(store, 9);
    const once = rows();
    expect(reconcile(store, 10)).toEqual([]);
    expect(rows()).toEqual(once);
  });

  test("a message that waited still waits", () => {
    const { store } = aCrash();
    store.accept({ id: "m2", sessionId: "s", channel: "test", text: "next", createdAt: 5 });
    reconcile(store, 9);
    expect(store.nextAccepted("s")?.text).toBe("next");
  });
});
