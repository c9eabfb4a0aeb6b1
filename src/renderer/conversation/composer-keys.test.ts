import { expect, test } from "vitest";
import { composerKey, type Key } from "./composer-keys.ts";

const enter: Key = { key: "Enter", shiftKey: false, isComposing: false, keyCode: 13 };

test.each([
  ["Enter sends", enter, "send"],
  ["Shift+Enter is a new line", { ...enter, shiftKey: true }, null],
  ["Enter that ends a composition only ends it", { ...enter, isComposing: true }, null],
  ["so it does in Safari, where the composition is over already", { ...enter, keyCode: 229 }, null],
  ["a letter is a letter", { ...enter, key: "a", keyCode: 65 }, null],
] as const)("%s", (_name, key, expected) => {
  expect(composerKey(key)).toBe(expected);
});
