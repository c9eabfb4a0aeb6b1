import { describe, expect, test } from "vitest";
import { answers, aTool, noting } from "../../../tests/support/agent.ts";
import { aCrash, nextStart } from "../../../tests/support/crashed-turn.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import type { ToolClass, TurnState } from "../../shared/turn.ts";

describe("going on", () => {
  test("the same turn and the same rows: the half row is the beginning of the answer", async () => {
    const crash = aCrash();
    crash.asked();
    const half = crash.half("Once upon");
    const { recovery, loop, model, rows, store, events } = nextStart(crash, { script: [says(" a time.")] });
    recovery.continueTurn("t");
    await loop.idle();
    expect(rows()).toEqual(["user complete: hi", "assistant complete: Once upon a time."]);
    expect(store.turnMessages("t")[1]?.id).toBe(half);
    expect(model.requests[0]?.messages.at(-1)).toMatchObject({ role: "assistant", parts: [{ text: "Once upon" }] });
    expect(store.turn("t")).toMatchObject({ stopReason: "completed" });
    expect(store.turn("t")).not.toHaveProperty("recovery");
    expect(events.filter(({ type }) => type === "turn.started")).toMatchObject([{ turnId: "t", continued: true }]);
    expect(events.filter(({ type }) => type === "turn.ended")).toMatchObject([
      { turnId: "t", text: "Once upon a time." },
    ]);
    expect(store.check()).toEqual([]);
  });

  test("a half row without a word is begun anew, and stays stored hidden", async () => {
    const crash = aCrash();
    crash.asked();
    crash.half("  ");
    const { recovery, loop, rows } = nextStart(crash, { script: [says("Hello.")] });
    recovery.continueTurn("t");
    await loop.idle();
    expect(rows()).toEqual(["user complete: hi", "assistant hidden:   ", "assistant complete: Hello."]);
  });

  test("finished tools are not run again, open ones run in their order, and the prompt has them in call order", async () => {
    const ran: string[] = [];
    const tool = (name: string, toolClass: ToolClass) => noting(ran, name, `${name} ran`, toolClass);
    const crash = aCrash();
    crash.asked();
    crash.asks(
      { name: "a", class: "once", state: "finished" },
      { name: "b", class: "read", state: "running" },
      { name: "c", class: "once", state: "requested" },
    );
    const tools = [tool("a", "once"), tool("b", "read"), tool("c", "once")];
    const { recovery, loop, model, store } = nextStart(crash, { tools, script: [says("Done.")] });
    recovery.continueTurn("t");
    await loop.idle();
    expect(ran).toEqual(["b", "c"]);
    const results = model.requests[0]?.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.text] : [])),
    );
    expect(results).toEqual(["a is done", "b ran", "c ran"]);
    expect(store.calls("t").map(({ state }) => state)).toEqual(["finished", "finished", "finished"]);
    expect(store.check()).toEqual([]);
  });

  test("calls made after going on have ids of their own", async () => {
    const look = aTool("look", answers("seen"));
    const crash = aCrash();
    crash.asked();
    crash.store.close = () => undefined;
    const first = nextStart(crash, { tools: [look], script: [calls({ name: "look", input: {} }), [{ wait: 60_000 }]] });
    first.recovery.continueTurn("t");
    await expect.poll(() => crash.store.calls("t")[0]?.state).toBe("finished");
    const [callId] = crash.store.calls("t").map(({ id }) => id);
    const second = nextStart(crash, {
      tools: [look],
      script: [calls({ name: "look", input: { path: "b" } }), says("Done.")],
    });
    expect(second.recovered).toMatchObject([{ what: "interrupted" }]);
    second.recovery.continueTurn("t");
    await second.loop.idle();
    const ids = crash.store.calls("t").map(({ id }) => id);
    expect([ids.length, new Set(ids).size, ids[0]]).toEqual([2, 2, callId]);
  });

  test.each(["restore", "compact", "command"] as const)(
    "a turn that died in %s with its row stored does not store it twice",
    async (state) => {
      const crash = aCrash();
      crash.store.append({ ...crash.row, role: "user", status: "pending", parts: [{ type: "text", text: "hi" }] });
      crash.pass(state);
      const { recovery, loop, rows } = nextStart(crash, { script: [says("Hello.")] });
      recovery.continueTurn("t");
      await loop.idle();
      expect(rows()).toEqual(["user complete: hi", "assistant complete: Hello."]);
    },
  );

  test("twice, from two pages: it goes on once", async () => {
    const crash = aCrash();
    crash.asked();
    const { recovery, loop, model } = nextStart(crash, { script: [[{ wait: 5 }, ...says("Hello.")]] });
    recovery.continueTurn("t");
    expect(() => recovery.continueTurn("t")).toThrow(expect.objectContaining({ code: "bad-request" }));
    expect(() => recovery.dismiss("t")).toThrow(expect.objectContaining({ code: "bad-request" }));
    await loop.idle();
    expect(model.requests).toHaveLength(1);
  });

  test("a turn that is not there, and one that is whole, are refused with words", async () => {
    const crash = aCrash();
    const { recovery, say } = nextStart(crash, { script: [says("Hello.")] });
    const { turnId } = await say("another");
    expect(() => recovery.continueTurn("nothing")).toThrow(expect.objectContaining({ code: "not-found" }));
    expect(() => recovery.continueTurn(turnId)).toThrow(expect.objectContaining({ code: "bad-request" }));
  });

  test("rows that are in the checkpoint and in the chat are in the prompt once", async () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "a", class: "once", state: "finished" });
    const { recovery, loop, model } = nextStart(crash, { script: [says("Done.")] });
    recovery.continueTurn("t");
    await loop.idle();
    const roles = model.requests[0]?.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool"]);
  });

  test("a call that is run once more after the crash counts once for the repeat guard", async () => {
    const ran: string[] = [];
    const crash = aCrash();
    crash.asked();
    crash.asks(
      { name: "look", id: "1", class: "read", state: "finished" },
      { name: "look", id: "2", class: "read", state: "running" },
    );
    const tools = [noting(ran, "look", "seen", "read")];
    const { recovery, loop } = nextStart(crash, { tools, script: [says("Done.")] });
    recovery.continueTurn("t");
    await loop.idle();
    expect(ran).toEqual(["look"]);
  });

  test("its end is announced once, and nothing after it carries its id", async () => {
    const crash = aCrash();
    crash.asked();
    const { recovery, loop, events } = nextStart(crash, { script: [says("Hello.")] });
    recovery.continueTurn("t");
    await loop.idle();
    const ofTurn = events.filter((event) => "turnId" in event && event.turnId === "t").map(({ type }) => type);
    expect([ofTurn[0], ofTurn.at(-1)]).toEqual(["turn.started", "turn.ended"]);
    expect(ofTurn.filter((type) => type === "turn.ended")).toHaveLength(1);
  });

  test("a disk that refuses says so, and the turn waits as before", async () => {
    const crash = aCrash();
    crash.asked();
    let full = true;
    const store = {
      ...crash.store,
      reopenTurn: (id: string, state: TurnState) => {
        if (full) throw new AppError("disk-full", "The disk is full.");
        crash.store.reopenTurn(id, state);
      },
    };
    const { recovery, loop } = nextStart({ ...crash, store }, { script: [says("Hello.")] });
    expect(() => recovery.continueTurn("t")).toThrow(expect.objectContaining({ code: "disk-full" }));
    expect(store.recoveries()).toMatchObject([{ id: "t", recovery: "interrupted" }]);
    full = false;
    recovery.continueTurn("t");
    await loop.idle();
    expect(store.turn("t")).toMatchObject({ stopReason: "completed" });
  });

  test("stopped before there was a place for it, it waits for a decision again; stopping twice is stopping once", async () => {
    const crash = aCrash();
    crash.asked();
    const busy = scriptedProvider([], { afterwards: [{ wait: 60_000 }] });
    const { loop, recovery, store, events } = nextStart(crash, { model: busy });
    const before = store.turn("t");
    for (const id of ["a", "b", "c"]) loop.accept({ id, channel: "test", sessionId: id, text: "hi" });
    recovery.continueTurn("t");
    expect(loop.stop("s")).toEqual({ stopped: 1, drafts: 0 });
    expect(loop.stop("s")).toEqual({ stopped: 0, drafts: 0 });
    expect(store.turn("t")).toEqual(before);
    expect(events).toContainEqual({ type: "settled", sessionId: "s", turnId: "t" });
    await loop.close();
    expect(events.filter(({ type }) => type === "turn.started")).toHaveLength(3);
  });

  test("stopped while it goes on, it is a stopped turn like any other", async () => {
    const crash = aCrash();
    crash.asked();
    crash.half("Once");
    const { recovery, loop, rows, store } = nextStart(crash, {
      script: [[{ type: "text", text: " upon" }, { wait: 60_000 }]],
    });
    recovery.continueTurn("t");
    await expect.poll(() => loop.isRunning("s")).toBe(true);
    await new Promise(setImmediate);
    expect(loop.stop("s")).toEqual({ stopped: 1, drafts: 0 });
    await loop.idle();
    expect(rows()[1]).toMatch(/^assistant incomplete: Once/);
    expect(store.turn("t")).toMatchObject({ stopReason: "aborted" });
  });
});
