import { describe, expect, test } from "vitest";
import { answers, aTool } from "../../../tests/support/agent.ts";
import { aCrash, nextStart } from "../../../tests/support/crashed-turn.ts";
import { calls, says } from "../../../tests/support/scripted-provider.ts";
import type { ToolClass } from "../../shared/turn.ts";

/** A tool that notes each of its runs. */
const noting = (ran: string[], name: string, text: string, toolClass: ToolClass) =>
  aTool(
    name,
    async () => {
      ran.push(name);
      return { text, summary: "" };
    },
    { class: toolClass },
  );

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

describe("a call that may or may not have happened", () => {
  const aSend = (ran: string[]) => noting(ran, "send", "sent", "once");

  function unknown() {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "send", class: "once", state: "running" });
    return crash;
  }

  test("has to be decided first", () => {
    const { recovery, recovered } = nextStart(unknown());
    expect(recovered).toMatchObject([{ what: "unknown", mayGoOn: false }]);
    expect(() => recovery.continueTurn("t")).toThrow(expect.objectContaining({ code: "bad-request" }));
  });

  test.each([
    ["happened", [], "finished", /did happen/],
    ["not-happened", [], "failed", /did not happen/],
    ["again", ["send"], "finished", /^sent$/],
  ] as const)("%s: the turn goes on by itself", async (decision, expected, state, told) => {
    const ran: string[] = [];
    const crash = unknown();
    const { recovery, loop, model, store } = nextStart(crash, { tools: [aSend(ran)], script: [says("Done.")] });
    recovery.decide("t", "send", decision);
    await loop.idle();
    expect(ran).toEqual(expected);
    expect(store.calls("t")).toMatchObject([{ state }]);
    const result = model.requests[0]?.messages.at(-1)?.parts[0];
    expect(result).toMatchObject({ type: "tool-result", text: expect.stringMatching(told) });
    expect(store.turn("t")).toMatchObject({ stopReason: "completed" });
    expect(() => recovery.decide("t", "send", decision)).toThrow(expect.objectContaining({ code: "bad-request" }));
  });

  test("of two, one decision is not enough", async () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "send", class: "once", state: "running" }, { name: "pay", class: "once", state: "running" });
    const { recovery, loop, store } = nextStart(crash, { tools: [aSend([])], script: [says("Done.")] });
    recovery.decide("t", "send", "happened");
    await loop.idle();
    expect(store.turn("t")?.recovery).toBe("unknown");
    recovery.decide("t", "pay", "not-happened");
    await loop.idle();
    expect(store.turn("t")?.stopReason).toBe("completed");
  });
});

describe("leaving it", () => {
  test("dismissed: the half is kept, what had not started is skipped, what may have happened says so, in call order", () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "a", class: "once", state: "running" }, { name: "b", class: "read", state: "requested" });
    const { recovery, store, rows, events } = nextStart(crash);
    recovery.dismiss("t");
    expect(rows()).toEqual([
      "user complete: hi",
      "assistant complete: a({}) b({})",
      "tool complete: Interrupted: it is not known whether this was done.",
      "tool complete: Not run: the turn was stopped before it started.",
    ]);
    expect(store.calls("t").map(({ state }) => state)).toEqual(["unknown", "skipped"]);
    expect(store.turn("t")).toMatchObject({ stopReason: "interrupted" });
    expect(store.recoveries()).toEqual([]);
    expect(events).toEqual([{ type: "settled", sessionId: "s", turnId: "t" }]);
    expect(store.check()).toEqual([]);
  });

  test("a newer message supersedes it, and every provider accepts the history", async () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "a", class: "once", state: "running" });
    const { say, model, store } = nextStart(crash, { script: [says("Fine.")] });
    await say("never mind");
    expect(store.recoveries()).toEqual([]);
    const roles = model.requests[0]?.messages.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool", "user"]);
  });

  test("a slash command does not", async () => {
    const crash = aCrash();
    crash.asked();
    const { say, recovery, loop, store } = nextStart(crash, { script: [says("Hello.")] });
    await say("/status");
    expect(store.recoveries()).toHaveLength(1);
    recovery.continueTurn("t");
    await loop.idle();
    expect(store.turn("t")?.stopReason).toBe("completed");
  });

  test("messages that waited behind it wait until it is decided, and then go on in order", async () => {
    const crash = aCrash();
    crash.asked();
    crash.store.accept({ id: "m2", sessionId: "s", channel: "test", text: "and then?", createdAt: 5 });
    const { loop, recovery, rows } = nextStart(crash, { script: [says("One."), says("Two."), says("Three.")] });
    loop.wake("s");
    await loop.idle();
    expect(rows()).toEqual(["user pending: hi"]);
    recovery.dismiss("t");
    await loop.idle();
    expect(rows()).toEqual(["user complete: hi", "user complete: and then?", "assistant complete: One."]);
  });

  test("an answer that nobody saw is only put away", () => {
    const crash = aCrash();
    crash.asked();
    crash.store.append({
      ...crash.row,
      role: "assistant",
      status: "complete",
      parts: [{ type: "text", text: "Hello." }],
    });
    crash.store.setPhase("t", "final_response", 1);
    const { recovery, rows, store } = nextStart(crash);
    const before = rows();
    recovery.dismiss("t");
    expect(rows()).toEqual(before);
    expect(store.turn("t")).not.toHaveProperty("recovery");
  });

  test("a message sent twice supersedes nothing the second time", async () => {
    const crash = aCrash();
    crash.asked();
    const { loop, store } = nextStart(crash);
    loop.accept({ id: "m", channel: "test", sessionId: "s", text: "hi" });
    expect(store.recoveries()).toHaveLength(1);
  });
});
