import { reconcile } from "../../src/main/agent/recovery.ts";
import { createStore } from "../../src/main/db/store.ts";
import type { ToolCallState, ToolClass } from "../../src/shared/turn.ts";
import { anAgent, brief } from "./agent.ts";

/** A store as a crash left it: a turn in `restore`, then whatever the test adds. */
export function aCrash(
  text = "hi",
  { store = createStore(":memory:"), sessionId = "s", turnId = "t", inboundId = "m" } = {},
) {
  store.openSession(sessionId, 1);
  store.accept({ id: inboundId, sessionId, channel: "test", text, createdAt: 1 });
  store.beginTurn({ id: turnId, sessionId, inboundId, startedAt: 2 });
  const row = { sessionId, turnId, createdAt: 3 } as const;
  const rows = () => store.page(sessionId, { limit: 100 }).map(brief);

  function asked(): void {
    store.append({ ...row, role: "user", status: "pending", parts: [{ type: "text", text }] });
    store.setPhase(turnId, "awaiting_model", 1);
    for (const state of ["restore", "compact", "command", "build"] as const) pass(state);
  }

  function pass(state: "restore" | "compact" | "command" | "build" | "run" | "save"): void {
    const next = {
      restore: "compact",
      compact: "command",
      command: "build",
      build: "run",
      run: "save",
      save: "respond",
    } as const;
    store.advance({ turnId, state, outcome: "ok", startedAt: 4, ms: 1 }, next[state]);
  }

  function half(text: string) {
    const { id } = store.append({ ...row, role: "assistant", status: "streaming", parts: [] });
    store.appendChunk(id, "text", text);
    return id;
  }

  /** The model asked for these tools; each is in the state it is named with. */
  function asks(...list: { name: string; id?: string; class: ToolClass; state: ToolCallState }[]): void {
    const asked = list.map((call) => ({ id: call.name, ...call }));
    const parts = asked.map(({ id, name }) => ({ type: "tool-call", id, name, input: {} }) as const);
    const { id: messageId } = store.append({ ...row, role: "assistant", status: "complete", parts });
    for (const call of asked) {
      const started = call.state !== "requested" && { startedAt: 4 };
      store.insertCall({ ...call, ...started, turnId, messageId });
      if (call.state !== "finished") continue;
      const { id: callId, name } = call;
      const result = { type: "tool-result", callId, name, text: `${name} is done`, failed: false } as const;
      store.append({ ...row, role: "tool", status: "complete", parts: [result] });
    }
    store.setPhase(turnId, "awaiting_tools", 1);
  }

  return { store, row, rows, asked, pass, half, asks };
}

type Crash = ReturnType<typeof aCrash>;

/** The loop of the next start over the same store, with a model that says what it is told to. */
export function nextStart({ store }: Pick<Crash, "store">, options: Parameters<typeof anAgent>[0] = {}) {
  const recovered = reconcile(store, 9);
  const agent = anAgent({ ...options, store });
  return { ...agent, store, recovered, recovery: agent.loop.recovery };
}
