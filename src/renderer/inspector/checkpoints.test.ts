import { expect, test } from "vitest";
import type { Message } from "../../shared/message.ts";
import type { RequestRecord, ToolCallRecord, TurnRecord } from "../../shared/turn.ts";
import { applyTurnEvent, startedView } from "../../shared/turn-view.ts";
import type { TurnView } from "../../shared/views.ts";
import { checkpointsOf } from "./checkpoints.ts";

const about = { sessionId: "s", turnId: "t" };
const inbound = { id: "i", sessionId: "s", channel: "c", text: "hi", state: "accepted", createdAt: 1000 } as const;
const fresh = startedView(inbound, { turnId: "t", startedAt: 1000 });
const row = (id: number, createdAt: number, text: string, more: Partial<Message> = {}): Message => ({
  ...about,
  id,
  role: "assistant",
  kind: "chat",
  origin: "model",
  status: "complete",
  parts: [{ type: "text", text }],
  createdAt,
  ...more,
});
const request = (number: number, startedAt: number): RequestRecord => ({
  turnId: "t",
  number,
  startedAt,
  model: { name: "m", local: true, window: 8192 },
  messages: 2,
  tools: 1,
  ms: 10,
});
const call = (name: string, startedAt: number, more: Partial<ToolCallRecord> = {}): ToolCallRecord => ({
  id: name,
  turnId: "t",
  messageId: 2,
  name,
  class: "read",
  state: "finished",
  startedAt,
  endedAt: startedAt + 5,
  ...more,
});
const asked = row(1, 1001, "hi", { role: "user" });
const stored = (rows: Message[], more: Partial<TurnView> = {}, turn: Partial<TurnRecord> = {}): TurnView => ({
  ...fresh,
  rows: [asked, ...rows],
  requests: [request(1, 1010), request(2, 1100)],
  ...more,
  turn: { ...fresh.turn, state: "done", endedAt: 2000, ...turn },
});
const marks = (view: TurnView) => checkpointsOf(view).map(({ mark, at, step }) => `${step} ${mark} ${at}`);

test("a turn with tools: each phase at its moment, and the final answer when its row was whole", () => {
  const rows = [row(2, 1050, "I look"), row(3, 1150, "Done", { finishedAt: 1190 })];
  const calls = [call("a", 1055), call("b", 1060)];
  expect(marks(stored(rows, { calls }, { phase: "final_response" }))).toEqual([
    "1 awaiting_model 1010",
    "1 awaiting_tools 1050",
    "1 tools_completed 1065",
    "2 awaiting_model 1100",
    "2 final_response 1190",
  ]);
});

test("while one call of a row is open, its tools are not complete", () => {
  const calls = [call("a", 1055), call("b", 1060, { state: "running" })];
  const view = stored([row(2, 1050, "")], { calls, requests: [request(1, 1010)] });
  expect(marks(view)).toEqual(["1 awaiting_model 1010", "1 awaiting_tools 1050"]);
});

test("a follow-up that joined stands where it did, the question itself is none", () => {
  const rows = [row(2, 1050, "So far"), row(3, 1090, "And this?", { role: "user" }), row(4, 1150, "This too")];
  expect(marks(stored(rows))).toEqual(["1 awaiting_model 1010", "1 injected 1090", "2 awaiting_model 1100"]);
});

test("a follow-up that joined before there was any answer is one too", () => {
  const event = {
    ...about,
    type: "injected",
    inboundId: "m",
    message: row(9, 1050, "Wait", { role: "user" }),
  } as const;
  const running = applyTurnEvent({ ...fresh, requests: [request(1, 1010)] }, event);
  expect(marks(running)).toEqual(["1 awaiting_model 1010", "1 injected 1050"]);
});

test("a goal that goes on and one that the model ends are marked, and so is a stop", () => {
  const rows = [row(2, 1050, "Half", { finishedAt: 1090 }), row(4, 1110, "")];
  const calls = [call("finish_goal", 1120, { messageId: 4 })];
  const goal = { ...inbound, text: "/goal tidy up" };
  expect(marks(stored(rows, { calls, inbound: goal }, { stopReason: "aborted" }))).toEqual([
    "1 awaiting_model 1010",
    "1 goal 1090",
    "2 awaiting_model 1100",
    "2 awaiting_tools 1110",
    "2 tools_completed 1125",
    "2 goalEnded 1125",
    "2 stopped 2000",
  ]);
});

test("a turn without a request has no checkpoint but its answer", () => {
  expect(marks(stored([], { requests: [] }, { phase: "final_response" }))).toEqual(["0 final_response 2000"]);
  expect(marks({ ...fresh })).toEqual([]);
});
