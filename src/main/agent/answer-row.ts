import { type AppError, toAppError } from "../../shared/errors.ts";
import type { TurnEvent } from "../../shared/events.ts";
import { type Message, type Part, textOf, type Usage, withStreamed } from "../../shared/message.ts";
import type { Store } from "./store.ts";

/** Streamed text is on disk at most this long after it came, or when so much has come. */
const FLUSH_MS = 250;
const FLUSH_CHARACTERS = 2_048;

interface AnswerRowOptions {
  readonly store: Store;
  readonly sessionId: string;
  readonly turnId: string;
  readonly emit: (event: TurnEvent) => void;
  readonly now: () => number;
  /** A row that was being written when the app died: the answer goes on in it. */
  readonly begun?: Message | undefined;
}

type Streamed = "text" | "reasoning";

/**
 * One assistant row while it grows: it exists from its first character on, is flushed as it streams, and is closed
 * once with its final parts. A continuation after `length` goes on in the same row: one bubble on screen.
 */
export function createAnswerRow({ store, sessionId, turnId, emit, now, begun }: AnswerRowOptions) {
  let parts: readonly Part[] = begun?.parts ?? [];
  let id = begun?.id;
  let waiting: { kind: Streamed; text: string } | undefined;
  let timer: NodeJS.Timeout | undefined;
  /** A flush between two tokens failed: the next token tells. */
  let refused: AppError | undefined;

  const base = { sessionId, turnId, role: "assistant" as const };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting && id !== undefined) store.appendChunk(id, waiting.kind, waiting.text);
    waiting = undefined;
  }

  function flushLater(): void {
    try {
      flush();
    } catch (thrown) {
      refused = toAppError(thrown);
    }
  }

  function push(kind: Streamed, text: string, raw?: unknown): void {
    if (refused) throw refused;
    if (text === "" && raw === undefined) return;
    id ??= store.append({ ...base, status: "streaming", parts: [], createdAt: now() }).id;
    parts = withStreamed(parts, kind, text, raw);
    if (waiting && waiting.kind !== kind) flush();
    waiting = { kind, text: (waiting?.text ?? "") + text };
    if (waiting.text.length >= FLUSH_CHARACTERS) flush();
    else timer ??= setTimeout(flushLater, FLUSH_MS);
    if (text !== "") emit({ type: kind === "text" ? "delta" : "reasoning", sessionId, turnId, messageId: id, text });
  }

  /** Closes the row with what was streamed and what else belongs to it. */
  function close(status: "complete" | "incomplete" | "hidden", more: readonly Part[] = [], usage?: Usage): Message {
    clearTimeout(timer);
    timer = undefined;
    waiting = undefined; // the final parts hold it
    const end = { parts: [...parts, ...more], status, finishedAt: now(), ...(usage && { usage }) };
    if (id !== undefined) return store.finish(id, end);
    const row = store.append({ ...base, status: "pending", parts: end.parts, createdAt: now() });
    return store.finish(row.id, end);
  }

  return {
    push,
    close,
    parts: () => parts,
    text: () => textOf(parts),
    isEmpty: () => parts.length === 0,
  };
}

export type AnswerRow = ReturnType<typeof createAnswerRow>;
