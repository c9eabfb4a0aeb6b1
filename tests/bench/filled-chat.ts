import type { Store } from "../../src/main/db/store.ts";

interface FilledChat {
  readonly sessionId: string;
  /** Questions and answers together. */
  readonly rows: number;
  /** Of a pair, counted from 0. */
  readonly question: (pair: number) => string;
  readonly answer: (pair: number) => string;
}

type Tables = Pick<
  Store,
  "atomically" | "accept" | "beginTurn" | "append" | "endTurn" | "advance" | "insertRequest" | "keepSent"
>;

export const filledTurnId = (sessionId: string, pair: number): string => `${sessionId}-${pair}`;

/** A conversation as it would have been stored, with its trace. All of it in one write. */
export function fillChat(store: Tables, chat: FilledChat): void {
  store.atomically(() => {
    for (let pair = 0; pair < chat.rows / 2; pair++) fillTurn(store, chat, pair);
  });
}

const steps = ["restore", "compact", "command", "build", "run", "save", "respond", "done"] as const;
const model = { name: "Scripted", local: true, window: 8192 };

function fillTurn(store: Tables, { sessionId, ...chat }: FilledChat, pair: number): void {
  const turnId = filledTurnId(sessionId, pair);
  const question = chat.question(pair);
  const about = { sessionId, turnId, status: "complete", createdAt: pair } as const;
  store.accept({ id: turnId, sessionId, channel: "window", text: question, createdAt: pair });
  store.beginTurn({ id: turnId, sessionId, inboundId: turnId, startedAt: pair });
  store.append({ ...about, role: "user", parts: [{ type: "text", text: question }] });
  for (const [index, state] of steps.slice(0, -1).entries()) {
    store.advance({ turnId, state, outcome: "ok", startedAt: pair, ms: 0.4 }, steps[index + 1] ?? "done");
  }
  const request = { turnId, number: 1, startedAt: pair, model, messages: 3, tools: 0 };
  const usage = { inputTokens: 900, reusedTokens: 800, outputTokens: 120, firstTokenMs: 90, decodeMs: 3100 };
  store.keepSent(request.turnId, request.number, "{}");
  store.insertRequest({ ...request, ms: 3200, finish: "stop", usage });
  store.append({ ...about, role: "assistant", parts: [{ type: "text", text: chat.answer(pair) }] });
  store.endTurn(turnId, { stopReason: "completed", endedAt: pair + 3210, usage });
}
