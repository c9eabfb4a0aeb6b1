import { expect, test } from "vitest";
import { checkPayload } from "./payload.ts";

const circle: Record<string, unknown> = {};
circle.self = circle;

test.each([
  ["a megabyte of Chinese in a third as many characters", { text: "字".repeat(350_000) }, /larger than a megabyte/],
  ["a megabyte in many texts", Array.from({ length: 1_100 }, () => "x".repeat(1_000)), /larger than a megabyte/],
  ["a megabyte of keys", { ["x".repeat(1_100_000)]: 1 }, /larger than a megabyte/],
  ["more parts than anyone sends", Array.from({ length: 10_000 }, () => 0), /too many parts/],
  [
    "more keys than anyone sends",
    Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [at, 1])),
    /too many parts/,
  ],
  ["an object that holds itself", circle, /too many parts/],
  ["a date", { at: new Date(0) }, /no plain data/],
])("%s is refused", (_what, input, message) => {
  expect(() => checkPayload(input)).toThrow(
    expect.objectContaining({ code: "bad-request", message: expect.stringMatching(message) }),
  );
});

test("a message as long as one may be, and everything small, passes", () => {
  expect(() => checkPayload({ chatId: "c", text: "x".repeat(900_000) })).not.toThrow();
  for (const small of [undefined, null, 1, "text", true, [], {}, { a: [{ b: null }] }, Object.create(null)]) {
    expect(() => checkPayload(small)).not.toThrow();
  }
});
