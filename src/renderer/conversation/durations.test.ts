import { expect, test } from "vitest";
import { durationOf } from "./durations.ts";

test.each([
  [0.4, "conversation.milliseconds", "0"],
  [340, "conversation.milliseconds", "340"],
  [999.7, "conversation.seconds", "1"],
  [1_240, "conversation.seconds", "1.2"],
  [75_400, "conversation.seconds", "75"],
])("%d ms", (ms, key, value) => {
  expect(durationOf(ms, "en")).toEqual({ key, value });
});
