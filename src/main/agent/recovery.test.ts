import { describe, expect, test } from "vitest";
import { aCrash } from "../../../tests/support/crashed-turn.ts";
import { reconcile } from "./recovery.ts";

describe("where it stopped, and what the next start makes of it", () => {
  test("before the user's row was stored: the message is a draft again, and its turn is undone", () => {
    const crash = aCrash();
    crash.pass("restore");
    expect(reconcile(crash.store, 9)).toMatchObject([{ what: "draft", text: "hi" }]);
    expect([crash.store.turn("t"), crash.rows()]).toEqual([undefined, []]);
    expect(crash.store.waiting("s")).toMatchObject([{ id: "m", state: "draft" }]);
    expect(crash.store.check()).toEqual([]);
  });

  test("user's row stored, no answer: it waits; nothing is added to its rows", () => {
    const crash = aCrash();
    crash.asked();
    expect(reconcile(crash.store, 9)).toEqual([
      { turnId: "t", sessionId: "s", what: "interrupted", text: "", mayGoOn: true },
    ]);
    expect(crash.rows()).toEqual(["user pending: hi"]);
    expect(crash.store.turn("t")).toMatchObject({ state: "done", stopReason: "interrupted", recovery: "interrupted" });
  });

  test("text half streamed: it is kept as it is", () => {
    const crash = aCrash();
    crash.asked();
    crash.half("Once upon");
    expect(reconcile(crash.store, 9)).toMatchObject([{ what: "interrupted", text: "Once upon" }]);
    expect(crash.rows()).toEqual(["user pending: hi", "assistant streaming: Once upon"]);
  });

  test.each([
    ["once", "running", "unknown", "unknown"],
    ["idempotent", "running", "requested", "interrupted"],
    ["read", "running", "requested", "interrupted"],
    ["once", "requested", "requested", "interrupted"],
    ["once", "finished", "finished", "interrupted"],
  ] as const)("a %s call that was %s is %s: the turn is %s", (toolClass, state, after, what) => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "x", class: toolClass, state });
    expect(reconcile(crash.store, 9)).toMatchObject([{ what }]);
    expect(crash.store.calls("t")[0]?.state).toBe(after);
  });

  test("the answer whole but not shown: the turn is completed, its text given back, and the mark says that nobody saw it", () => {
    const crash = aCrash();
    crash.asked();
    crash.store.append({
      ...crash.row,
      role: "assistant",
      status: "complete",
      parts: [{ type: "text", text: "Hello." }],
    });
    crash.store.setPhase("t", "final_response", 1);
    expect(reconcile(crash.store, 9)).toMatchObject([{ what: "undelivered", text: "Hello." }]);
    expect(crash.rows()).toEqual(["user complete: hi", "assistant complete: Hello."]);
    expect(crash.store.turn("t")).toMatchObject({ stopReason: "completed", recovery: "undelivered" });
  });

  test("a turn that had failed and was about to say so ends with its error", () => {
    const crash = aCrash();
    crash.asked();
    const error = { code: "model-missing", message: "There is no model.", retryable: false } as const;
    crash.store.advance({ turnId: "t", state: "run", outcome: "failed", startedAt: 4, ms: 1, error }, "save");
    reconcile(crash.store, 9);
    expect(crash.rows()).toEqual(["user complete: hi", "assistant incomplete: !model-missing"]);
    expect(crash.store.turn("t")).toMatchObject({ stopReason: "error", error });
  });

  test("a slash command that was answered stays one, and there is nothing to see", () => {
    const crash = aCrash("/help");
    const command = { ...crash.row, kind: "command", status: "complete" } as const;
    crash.store.append({ ...command, role: "user", parts: [{ type: "text", text: "/help" }] });
    crash.store.append({ ...command, role: "assistant", parts: [{ type: "text", text: "Commands" }] });
    expect(reconcile(crash.store, 9)).toEqual([]);
    expect(crash.store.turn("t")?.stopReason).toBe("command");
  });

  test("reconciling again finds nothing to do", () => {
    const crash = aCrash();
    crash.asked();
    crash.half("Once");
    reconcile(crash.store, 9);
    const once = [crash.rows(), crash.store.turn("t")];
    expect(reconcile(crash.store, 10)).toEqual([]);
    expect([crash.rows(), crash.store.turn("t")]).toEqual(once);
  });

  test("a second crash at the same place is known as one; at a later place it is not", () => {
    const crash = aCrash();
    crash.asked();
    expect(reconcile(crash.store, 9)[0]?.mayGoOn).toBe(true);
    crash.store.reopenTurn("t", "run");
    expect(reconcile(crash.store, 10)[0]?.mayGoOn).toBe(false);
    crash.store.reopenTurn("t", "run");
    crash.half("Once");
    expect(reconcile(crash.store, 11)[0]?.mayGoOn).toBe(true);
  });
});
