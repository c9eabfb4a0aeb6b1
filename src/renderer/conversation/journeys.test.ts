import { expect, test } from "vitest";
import type { Trip } from "../../shared/network.ts";
import type { RequestRecord } from "../../shared/turn.ts";
import { journeysOf } from "./journeys.ts";

const request = (number: number, trip?: Partial<Trip>): RequestRecord => ({
  ...{ turnId: "t", number, startedAt: 0, messages: 9, tools: 0 },
  model: { name: "m", local: !trip, window: 1 },
  ...(trip && { trip: { ledgerId: number, host: "a.example", place: "cloud", bodyOut: 100, bodyIn: 1, ...trip } }),
});

test("what never left went nowhere", () => expect(journeysOf([request(1), request(2)])).toEqual([]));

test("bytes of all tries are one sum; messages and documents are those of the fullest", () => {
  const requests = [
    request(1, { cargo: { messages: 3, documents: 0 } }),
    request(2, { bodyOut: 50, cargo: { messages: 3, documents: 1 } }),
  ];
  expect(journeysOf(requests)).toEqual([
    { host: "a.example", place: "cloud", messages: 3, documents: 1, bodyOut: 150 },
  ]);
});

test("each place has its own, the farthest first; a row of an older Lares counts its whole prompt", () => {
  const requests = [
    request(1, { host: "127.0.0.1", place: "this-computer" }),
    request(2, { host: "10.0.0.7", place: "local-network" }),
    request(3),
    request(4),
    request(5, {}),
  ];
  expect(journeysOf(requests).map(({ host, messages }) => [host, messages])).toEqual([
    ["a.example", 9],
    ["10.0.0.7", 9],
    ["127.0.0.1", 9],
  ]);
});
