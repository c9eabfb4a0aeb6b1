import { createStore } from "../../src/main/db/store.ts";
import { seeded } from "../support/seeded.ts";

/** Real times: a row that could be of two tables is told apart by them. */
const START = Date.UTC(2026, 10, 1);
const words = "lantern harbour ledger copper meadow window fable kettle orchard signal 灯塔 看守人 winter paper".split(
  " ",
);

interface Options {
  readonly rows: number;
  readonly seed?: number;
  /** Chats among which the rows are. */
  readonly chats?: number;
}

/**
 * A store as months of use leave it: chats with turns, calls and their results, long answers, a branch, traces, requests,
 * drafts, settings, a goal, and at the end a turn that is still running. Made of the store's own functions only.
 */
export function fillStore(file: string, { rows, seed = 1, chats = 6 }: Options): void {
  const store = createStore(file);
  const random = seeded(seed);
  let clock = START;
  let turns = 0;
  const text = (from: number, to: number) =>
    Array.from({ length: random.between(from, to) }, () => random.pick(words as [string, ...string[]])).join(" ");

  function turn(sessionId: string, replaces?: string): string {
    const id = `turn-${String(++turns).padStart(9, "0")}`;
    const inboundId = `in-${id}`;
    clock += 60_000;
    const said = `Question ${turns}: ${text(3, 30)}?`;
    store.accept({
      id: inboundId,
      sessionId,
      channel: "window",
      text: said,
      createdAt: clock,
      ...(replaces && { replaces }),
    });
    store.beginTurn({ id, sessionId, inboundId, startedAt: clock });
    for (const state of ["restore", "compact", "command", "build"] as const) {
      store.advance({ turnId: id, state, outcome: "ok", startedAt: clock, ms: 1.5 }, "run");
    }
    const row = { sessionId, turnId: id, createdAt: clock } as const;
    const user = store.append({ ...row, role: "user", status: "pending", parts: [{ type: "text", text: said }] });
    store.setPhase(id, "awaiting_model", 1);
    if (random.chance(0.4)) calls(id, row);
    const length = random.chance(0.1) ? text(800, 2_000) : text(20, 200);
    const parts = [{ type: "text", text: `Answer ${turns}: ${length}.` }] as const;
    store.append({ ...row, role: "assistant", status: "complete", parts });
    store.insertRequest({
      turnId: id,
      number: 1,
      startedAt: clock,
      model,
      messages: 3,
      tools: 2,
      ms: 812.25,
      finish: "stop",
    });
    store.keepSent(id, 1, JSON.stringify({ messages: [said] }));
    store.finish(user.id, { parts: user.parts, status: "complete", finishedAt: clock });
    store.endTurn(id, { stopReason: "completed", endedAt: clock });
    return id;
  }

  function calls(turnId: string, row: { sessionId: string; turnId: string; createdAt: number }): void {
    const names = ["read_file", "search_files"].slice(0, random.between(1, 2));
    const parts = names.map(
      (name, at) => ({ type: "tool-call", id: `${turnId}_1_${at}`, name, input: { path: text(1, 2) } }) as const,
    );
    const { id: messageId } = store.append({ ...row, role: "assistant", status: "complete", parts });
    for (const { id, name } of parts) {
      store.insertCall({ id, turnId, messageId, name, class: "read", state: "running", startedAt: clock });
      store.setCall(turnId, id, { state: "finished", endedAt: clock, summary: "1 line" });
      const result = { type: "tool-result", callId: id, name, text: text(5, 400), failed: false } as const;
      store.append({ ...row, role: "tool", status: "complete", parts: [result] });
    }
  }

  const count = () => store.page("chat-0", { limit: 1 }).length;
  for (let made = 0; made < rows; made += 50) {
    store.atomically(() => {
      const before = turns;
      while ((turns - before) * 2.6 < Math.min(50, rows - made)) turn(`chat-${turns % chats}`);
    });
  }
  store.atomically(() => {
    const first = turn("chat-branch");
    turn("chat-branch");
    turn("chat-branch", first);
  });
  for (let chat = 0; chat < chats; chat++) store.setDraft(`chat-${chat}`, `draft of ${chat}: ${text(3, 9)}`, clock);
  store.setSetting("settings", JSON.stringify({ language: "en" }));
  const spent = { iterations: 1, tokens: 10, minutes: 0 };
  const budget = { iterations: 40, tokens: 100_000, minutes: 30 };
  const goal = { sessionId: "chat-0", text: "find the lantern", state: "paused", budget, spent } as const;
  store.setGoal({ ...goal, createdAt: clock, updatedAt: clock });
  if (count() > 0) running();
  store.close();

  function running(): void {
    const about = { id: "in-running", sessionId: "chat-0", channel: "window", text: "And now?", createdAt: clock };
    store.accept(about);
    store.beginTurn({ id: "turn-running", sessionId: "chat-0", inboundId: "in-running", startedAt: clock });
    const row = { sessionId: "chat-0", turnId: "turn-running", createdAt: clock } as const;
    store.append({ ...row, role: "user", status: "pending", parts: [{ type: "text", text: "And now?" }] });
    store.setPhase("turn-running", "awaiting_model", 1);
    const { id } = store.append({ ...row, role: "assistant", status: "streaming", parts: [] });
    for (const piece of ["It is ", "half ", "written"]) store.appendChunk(id, "text", piece);
    store.accept({ ...about, id: "in-waiting", text: "Then tell me." });
    store.addNotice("turn-running", { code: "info", text: "The prompt was shortened." });
  }
}

const model = { name: "scripted", local: true, window: 8192 };
