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

  test("a slash command that was not answered says so at its place, and there is nothing to decide", () => {
    const crash = aCrash("/status");
    expect(reconcile(crash.store, 9)).toEqual([]);
    expect(crash.rows()).toEqual(["user command complete: /status", "assistant command complete: !interrupted"]);
    expect(crash.store.turn("t")).toMatchObject({ stopReason: "command", error: { code: "interrupted" } });
    expect([crash.store.recoveries(), crash.store.check()]).toEqual([[], []]);
  });

  test("a command that asks the model is a message like others: it is a draft again", () => {
    expect(reconcile(aCrash("/goal write it all down").store, 9)).toMatchObject([{ what: "draft" }]);
  });

  test("a turn that the person had stopped is over: they have seen it", () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "x", class: "read", state: "requested" });
    const error = { code: "aborted", message: "Stopped.", retryable: false } as const;
    crash.store.advance({ turnId: "t", state: "run", outcome: "aborted", startedAt: 4, ms: 1, error }, "save");
    expect(reconcile(crash.store, 9)).toEqual([]);
    expect(crash.store.turn("t")).toMatchObject({ stopReason: "aborted" });
    expect(crash.store.calls("t")).toMatchObject([{ state: "skipped" }]);
    expect([crash.store.recoveries(), crash.store.check()]).toEqual([[], []]);
  });

  test("in a chat that was deleted nothing waits, and all of it can be removed", () => {
    const crash = aCrash();
    crash.asked();
    crash.half("Once");
    crash.store.deleteChat("s", 5);
    expect(reconcile(crash.store, 9)).toEqual([]);
    expect(crash.store.recoveries()).toEqual([]);
    while (crash.store.purgeChats(10).length > 0);
    expect([crash.store.turn("t"), crash.store.inbound("m")]).toEqual([undefined, undefined]);
    expect(crash.store.check()).toEqual([]);
  });

  test("an answer that was asked again and had not begun: the one before is shown", () => {
    const crash = aCrash();
    crash.asked();
    crash.store.endTurn("t", { stopReason: "completed", endedAt: 5 });
    crash.store.accept({ id: "m2", sessionId: "s", channel: "test", text: "hi", createdAt: 6, replaces: "t" });
    crash.store.beginTurn({ id: "t2", sessionId: "s", inboundId: "m2", startedAt: 6 });
    expect(crash.rows()).toEqual([]);
    reconcile(crash.store, 9);
    expect(crash.rows()).toEqual(["user pending: hi"]);
    expect(crash.store.waiting("s")).toMatchObject([{ id: "m2", state: "draft", replaces: "t" }]);
  });

  test("a command that was answered while a turn began stays where it was", () => {
    const crash = aCrash();
    crash.store.accept({ id: "m2", sessionId: "s", channel: "test", text: "/status", createdAt: 2 });
    crash.store.beginTurn({ id: "t2", sessionId: "s", inboundId: "m2", startedAt: 2 });
    const command = { sessionId: "s", turnId: "t2", createdAt: 3, kind: "command", status: "complete" } as const;
    crash.store.append({ ...command, role: "user", parts: [{ type: "text", text: "/status" }] });
    expect(reconcile(crash.store, 9)).toMatchObject([{ turnId: "t", what: "draft" }]);
    expect(crash.rows()).toEqual(["user command complete: /status"]);
    expect(crash.store.check()).toEqual([]);
  });

  test("killed in the middle of it, nothing of it has happened, and the next start does it whole", () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "a", class: "once", state: "running" });
    const other = aCrash("and you", { store: crash.store, sessionId: "s2", turnId: "t2", inboundId: "m2" });
    other.asked();
    const before = crash.store.unfinishedTurns();
    const dying = {
      ...crash.store,
      endTurn: (id: string, end: Parameters<typeof crash.store.endTurn>[1]) => {
        if (id === "t2") throw new Error("killed");
        crash.store.endTurn(id, end);
      },
    };
    expect(() => reconcile(dying, 9)).toThrow("killed");
    expect(crash.store.unfinishedTurns()).toEqual(before);
    expect(crash.store.calls("t")).toMatchObject([{ state: "running" }]);
    expect(reconcile(crash.store, 9).map(({ what }) => what)).toEqual(["unknown", "interrupted"]);
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
