import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AppError, toAppError } from "../../shared/errors.ts";
import { checkedKey } from "./checked-key.ts";

interface Case {
  readonly id: string;
  readonly kind: string;
  readonly what: string;
  readonly input: string;
  readonly expected: string;
}
const cases: readonly Case[] = JSON.parse(readFileSync("tests/hostile/keys.json", "utf8"));

function outcome(pasted: string): string {
  try {
    return checkedKey(pasted);
  } catch (thrown) {
    expect(toAppError(thrown).code).toBe("bad-request");
    return toAppError(thrown).message;
  }
}

test.each(cases.filter(({ kind }) => kind === "key"))(
  "$id a pasted key is trimmed, or refused with the reason: $what",
  ({ input, expected }) => {
    const said = outcome(input);
    if (expected.startsWith("sk-")) return expect(said).toBe(expected);
    expect(said).toContain(expected);
    expect(said).not.toContain("CANARY");
  },
);

test("a key is at most 8 kB long, and a megabyte is refused without being read", () => {
  expect(checkedKey("k".repeat(8192))).toHaveLength(8192);
  expect(() => checkedKey("k".repeat(8193))).toThrow(AppError);
  expect(outcome("k".repeat(1_000_000))).toContain("too long");
  expect(outcome(" ".repeat(1_000_000))).toContain("too long");
});
