import type { ModelEvent } from "../../../shared/inference.ts";

const frameMs = 16;

export interface EventBatch {
  push(event: ModelEvent): void;
  /** Sends what is waiting, now. */
  flush(): void;
}

/** Collects the events of about one frame, and joins those that say the same thing in pieces. */
export function createEventBatch(send: (events: ModelEvent[]) => void): EventBatch {
  let waiting: ModelEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const events = waiting;
    waiting = [];
    send(events);
  };
  return {
    push(event) {
      const last = waiting.at(-1);
      const joined = last && joinEvents(last, event);
      if (joined) waiting[waiting.length - 1] = joined;
      else waiting.push(event);
      timer ??= setTimeout(flush, frameMs);
    },
    flush,
  };
}

function joinEvents(last: ModelEvent, next: ModelEvent): ModelEvent | undefined {
  if (last.type === "text" && next.type === "text") return { type: "text", text: last.text + next.text };
  if (last.type === "reasoning" && next.type === "reasoning" && last.raw === undefined)
    return { ...next, text: last.text + next.text };
  if (last.type === "call-arguments" && next.type === "call-arguments" && last.index === next.index)
    return { ...next, text: last.text + next.text };
  if (last.type === "progress" && next.type === "progress" && last.phase === next.phase) return next;
  return undefined;
}
