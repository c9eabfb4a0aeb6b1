import type { CloudPreset } from "../../shared/cloud.ts";
import type { RequestRecord } from "../../shared/turn.ts";
import type { ChatState } from "../stores/chat-state.ts";

/** The newest request of the shown branch that the model has measured; it is what the window is filled with now. */
export function lastMeasured({ order, turns }: Pick<ChatState, "order" | "turns">): RequestRecord | undefined {
  for (const turnId of order.toReversed()) {
    const found = turns[turnId]?.requests.findLast(({ usage }) => usage !== undefined);
    if (found) return found;
  }
  return undefined;
}

/** The window that the chat's next answer has room in; undefined: as the newest measured request had. */
export function windowAhead(
  { order, turns }: Pick<ChatState, "order" | "turns">,
  preset: Pick<CloudPreset, "window"> | undefined,
): number | undefined {
  if (preset) return preset.window;
  const local = order.flatMap((turnId) => turns[turnId]?.requests ?? []).findLast(({ model }) => model.local);
  return local?.model.window;
}

/** Tokens of the window that are taken, and how near its end that is. Undefined: not measured. */
export function fillOf({ usage, model }: RequestRecord, window = model.window) {
  if (!usage || window <= 0) return undefined;
  const used = usage.inputTokens + usage.outputTokens;
  const share = Math.min(1, used / window);
  const level = share >= 0.95 ? "full" : share >= 0.8 ? "high" : "calm";
  return { used, window, free: Math.max(0, window - used), share, level } as const;
}
