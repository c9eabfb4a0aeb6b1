import type { NumberedEvent, StreamBatch, StreamEvent } from "../../shared/stream.ts";

/** Smooth to read, and never more than 30 messages a second. */
const FLUSH_MS = 33;
/** A slow page gets larger batches, not a longer queue. */
const MOST_UNACKED = 2;
/** What may wait for a page that does not answer. Beyond it, reading anew is cheaper for everyone. */
const MOST_EVENTS = 5_000;
const MOST_CHARACTERS = 4_000_000;

/**
 * Collects the events for one page and posts them in numbered batches. The timer lives in main because a hidden
 * window's own timers stop. Memory is bounded: a page that falls too far behind gets one `reset` in place of all.
 */
export function createStreamSender(post: (batch: StreamBatch) => void) {
  let pending: NumberedEvent[] = [];
  let characters = 0;
  /** The last event that is waiting may not grow any more: a snapshot was read with it in. */
  let sealed = false;
  let timer: NodeJS.Timeout | undefined;
  let sent = 0;
  let acked = 0;
  let closed = false;

  function schedule(): void {
    if (!closed) timer ??= setTimeout(flush, FLUSH_MS);
  }

  function flush(): void {
    timer = undefined;
    if (pending.length === 0 || sent - acked >= MOST_UNACKED) return;
    const events = pending;
    pending = [];
    characters = 0;
    post({ seq: ++sent, events });
  }

  function add(numbered: NumberedEvent): void {
    const last = pending.at(-1);
    const merged = last && !sealed ? merge(last.event, numbered.event) : undefined;
    sealed = false;
    characters += weightOf(numbered.event);
    if (merged) pending[pending.length - 1] = { n: numbered.n, event: merged };
    else pending.push(numbered);
  }

  return {
    push(numbered: NumberedEvent): void {
      if (closed) return;
      add(numbered);
      if (pending.length > MOST_EVENTS || characters > MOST_CHARACTERS) {
        pending = [{ n: numbered.n, event: { type: "reset" } }];
        characters = 0;
      }
      schedule();
    },
    /** What was pushed before is in a snapshot that is being read now, what is pushed after it is not. */
    barrier(): void {
      sealed = true;
    },
    /** The page has dealt with the batches up to this one. */
    ack(seq: number): void {
      acked = Math.max(acked, Math.min(seq, sent));
      if (pending.length > 0) schedule();
    },
    close(): void {
      closed = true;
      clearTimeout(timer);
      pending = [];
    },
  };
}

export type StreamSender = ReturnType<typeof createStreamSender>;

/** Two neighbours as one event, where nothing is lost by it. */
function merge(last: StreamEvent, next: StreamEvent): StreamEvent | undefined {
  if ((next.type === "delta" || next.type === "reasoning") && last.type === next.type) {
    return last.messageId === next.messageId ? { ...next, text: last.text + next.text } : undefined;
  }
  if (next.type === "progress" && last.type === next.type) {
    return last.turnId === next.turnId && last.phase === next.phase ? next : undefined;
  }
  if (next.type === "fetch" && last.type === next.type) {
    return last.fetch.modelId === next.fetch.modelId ? next : undefined;
  }
  return undefined;
}

/** About the characters of an event: only texts count, the rest is small and counted by number. */
function weightOf(event: StreamEvent): number {
  if (event.type === "delta" || event.type === "reasoning") return event.text.length;
  if (event.type === "accepted") return event.inbound.text.length;
  if (event.type === "waiting") return event.waiting.reduce((sum, { text }) => sum + text.length, 0);
  if (event.type !== "turn.stored") return 0;
  const texts = event.view.rows.flatMap(({ parts }) => parts.map((part) => ("text" in part ? part.text.length : 0)));
  return texts.reduce((sum, length) => sum + length, event.view.inbound.text.length);
}
