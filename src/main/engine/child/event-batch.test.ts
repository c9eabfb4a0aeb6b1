import { describe, expect, test, vi } from "vitest";
import type { ModelEvent } from "../../../shared/inference.ts";
import { createEventBatch } from "./event-batch.ts";

function batchOf(...events: ModelEvent[]): ModelEvent[] {
  const sent: ModelEvent[] = [];
  const batch = createEventBatch((some) => sent.push(...some));
  for (const event of events) batch.push(event);
  batch.flush();
  return sent;
}

describe("events of one frame", () => {
  test("are joined where they go on in each other, and keep their order", () => {
    expect(
      batchOf(
        { type: "progress", phase: "reading", done: 1, total: 3 },
        { type: "progress", phase: "reading", done: 3, total: 3 },
        { type: "reasoning", text: "Hm" },
        { type: "reasoning", text: "m" },
        { type: "text", text: "a" },
        { type: "text", text: "b" },
        { type: "call-start", index: 0, name: "x" },
        { type: "call-arguments", index: 0, text: "{" },
        { type: "call-arguments", index: 0, text: "}" },
        { type: "call-arguments", index: 1, text: "{}" },
        { type: "text", text: "c" },
      ),
    ).toEqual([
      { type: "progress", phase: "reading", done: 3, total: 3 },
      { type: "reasoning", text: "Hmm" },
      { type: "text", text: "ab" },
      { type: "call-start", index: 0, name: "x" },
      { type: "call-arguments", index: 0, text: "{}" },
      { type: "call-arguments", index: 1, text: "{}" },
      { type: "text", text: "c" },
    ]);
  });

  test("are sent without being asked for", async () => {
    const send = vi.fn();
    createEventBatch(send).push({ type: "text", text: "a" });
    expect(send).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(send).toHaveBeenCalledExactlyOnceWith([{ type: "text", text: "a" }]));
  });
});
