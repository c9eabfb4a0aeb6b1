import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { anAgent } from "../../../tests/support/agent.ts";
import { says } from "../../../tests/support/scripted-provider.ts";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import { silentLog } from "../lib/log.ts";
import { createRefused } from "./refused.ts";

const send = (agent: ReturnType<typeof anAgent>, text: string) =>
  agent.loop.accept({ id: text, channel: "test", sessionId: "s", text });

function aStoreThatRefuses(code: ErrorCode) {
  const woken: string[] = [];
  const wake = (sessionId: string) => void woken.push(sessionId);
  const refused = createRefused({ log: silentLog, wake, ended: () => undefined });
  const begin = () =>
    refused.begin("s", () => {
      throw new AppError(code, "No.");
    });
  return { refused, begin, woken };
}

describe("what was refused", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("what a full disk refused is tried again by itself, once for each session", () => {
    const { begin, woken } = aStoreThatRefuses("disk-full");
    expect([begin(), begin()]).toEqual([undefined, undefined]);
    vi.advanceTimersByTime(1_999);
    expect(woken).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(woken).toEqual(["s"]);
  });

  test("what no waiting mends is not", () => {
    const { begin, woken } = aStoreThatRefuses("data-damaged");
    begin();
    vi.advanceTimersByTime(60_000);
    expect(woken).toEqual([]);
  });

  test("after closing nothing is tried", () => {
    const { refused, begin, woken } = aStoreThatRefuses("disk-full");
    begin();
    refused.close();
    vi.advanceTimersByTime(60_000);
    expect(woken).toEqual([]);
  });
});

describe("a store that refuses for a moment", () => {
  const full = () => new AppError("disk-full", "The disk is full.");

  test("a message that could not be begun with waits, is not tried again and again, and is answered first", async () => {
    const { store } = anAgent();
    let tries = 0;
    const beginTurn: typeof store.beginTurn = (turn) => {
      if (++tries === 1) throw full();
      store.beginTurn(turn);
    };
    const agent = anAgent({ store: { ...store, beginTurn }, script: [[{ wait: 20 }, ...says("one")], says("two")] });
    send(agent, "first");
    await agent.loop.idle();
    expect([tries, agent.store.nextAccepted("s")?.text, agent.events]).toEqual([1, "first", []]);
    send(agent, "second");
    await agent.loop.idle();
    expect(agent.rows()).toEqual([
      "user complete: first",
      "assistant complete: one",
      "user complete: second",
      "assistant complete: two",
    ]);
    await agent.loop.close();
  });

  test("a turn whose end could not be stored is over before the next one begins", async () => {
    const { store, wholeStore } = anAgent();
    let refuses = true;
    const refusing =
      <A extends readonly unknown[], R>(work: (...values: A) => R) =>
      (...values: A): R => {
        if (refuses) throw full();
        return work(...values);
      };
    const broken = { ...store, advance: refusing(store.advance), endTurn: refusing(store.endTurn) };
    const agent = anAgent({ store: broken, script: [says("two")] });
    expect(await agent.say("first")).toMatchObject({ stopReason: "error", error: { code: "disk-full" } });
    expect(store.unfinishedTurns()).toHaveLength(1);
    refuses = false;
    await agent.say("second");
    expect(agent.rows()).toEqual(["user complete: first", "user complete: second", "assistant complete: two"]);
    expect(agent.events.filter(({ type }) => type === "settled")).toHaveLength(1);
    expect([store.unfinishedTurns(), wholeStore.check()]).toEqual([[], []]);
    await agent.loop.close();
  });
});
