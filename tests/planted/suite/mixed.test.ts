import { describe, expect, test } from "vitest";

test("passes", () => expect(1).toBe(1));
test("fails", () => expect(1).toBe(2));
test.skip("is skipped", () => expect(1).toBe(1));
test.todo("is not written");
describe("a group", () => {
  test.each([1, 2])("passes with %i", (number) => expect(number).toBeGreaterThan(0));
});
