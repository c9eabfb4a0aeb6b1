import { describe, expect, test } from "vitest";
import { noting } from "../../../tests/support/agent.ts";
import { aCrash, nextStart } from "../../../tests/support/crashed-turn.ts";
import { says } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";

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

describe("a decision", () => {
  test("is one write with what follows from it", () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "send", class: "once", state: "running" });
    const store = {
      ...crash.store,
      setRecovery: () => {
        throw new AppError("disk-full", "The disk is full.");
      },
    };
    const { recovery, rows } = nextStart({ ...crash, store });
    const before = [rows(), store.calls("t")];
    expect(() => recovery.decide("t", "send", "happened")).toThrow(expect.objectContaining({ code: "disk-full" }));
    expect([rows(), store.calls("t")]).toEqual(before);
  });

  test("about a call that nobody asks about is refused with words", () => {
    const crash = aCrash();
    crash.asked();
    crash.asks({ name: "a", class: "read", state: "finished" }, { name: "send", class: "once", state: "running" });
    const { recovery, store } = nextStart(crash);
    for (const id of ["a", "nothing"]) {
      expect(() => recovery.decide("t", id, "again")).toThrow(expect.objectContaining({ code: "not-found" }));
    }
    expect(store.turn("t")?.recovery).toBe("unknown");
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
    expect(store.check()).toEqual([]);
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
