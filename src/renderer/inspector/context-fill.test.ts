import { expect, test } from "vitest";
import type { RequestRecord } from "../../shared/turn.ts";
import { startedView } from "../../shared/turn-view.ts";
import { fillOf, lastMeasured, windowAhead } from "./context-fill.ts";

const request = (inputTokens: number, measured = true): RequestRecord => ({
  turnId: "t",
  number: 1,
  startedAt: 0,
  model: { name: "m", local: true, window: 1000 },
  messages: 1,
  tools: 0,
  ...(measured && { usage: { inputTokens, reusedTokens: 0, outputTokens: 10, firstTokenMs: 1, decodeMs: 1 } }),
});
const inbound = { id: "i", sessionId: "s", channel: "c", text: "", state: "taken", createdAt: 0 } as const;
const turn = (id: string, ...requests: RequestRecord[]) => ({
  [id]: { ...startedView(inbound, { turnId: id, startedAt: 0 }), requests },
});

test("the newest measured request of the shown branch counts", () => {
  const turns = { ...turn("a", request(100)), ...turn("b", request(200, false)), ...turn("hidden", request(900)) };
  expect(lastMeasured({ order: ["a", "b"], turns })?.usage?.inputTokens).toBe(100);
  expect(lastMeasured({ order: ["b"], turns })).toBeUndefined();
});

test.each([
  [789, "calm"],
  [790, "high"],
  [940, "full"],
  [2000, "full"],
])("%d tokens of a window of 1,000 are %s", (inputTokens, level) => {
  expect(fillOf(request(inputTokens))).toMatchObject({ level, used: inputTokens + 10 });
});

test("what was not measured fills nothing", () => {
  expect(fillOf(request(1, false))).toBeUndefined();
});

test("another model has another window: the gauge is measured by the one that answers next", () => {
  const cloud = { ...request(500), model: { name: "c", local: false, window: 200_000 } };
  const chat = { order: ["a", "b"], turns: { ...turn("a", request(100)), ...turn("b", cloud) } };
  expect(fillOf(cloud, windowAhead(chat, { window: 50_000 }))).toMatchObject({ used: 510, window: 50_000 });
  expect(fillOf(cloud, windowAhead(chat, undefined))).toMatchObject({ used: 510, window: 1000, level: "calm" });
  expect(windowAhead({ order: ["b"], turns: turn("b", cloud) }, undefined)).toBeUndefined();
});
