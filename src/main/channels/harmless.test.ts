import { expect, test } from "vitest";
import { harmless } from "./harmless.ts";

test.each([
  ["clears the screen", "\x1b[2J", "\u{FFFD}[2J"],
  ["writes into the clipboard", "\x1b]52;c;cm0gLXJm\x07", "\u{FFFD}]52;c;cm0gLXJm\u{FFFD}"],
  ["hides where a link goes", "\x1b]8;;https://evil.test\x1b\\ok", "\u{FFFD}]8;;https://evil.test\u{FFFD}\\ok"],
  ["begins a sequence in one character", "\x9b31m", "\u{FFFD}31m"],
  ["writes over the line", "safe\rrm -rf", "saferm -rf"],
  ["moves back", "a\b\x7f\0", "a\u{FFFD}\u{FFFD}\u{FFFD}"],
])("what %s is shown instead", (_what, text, shown) => {
  expect(harmless(text)).toBe(shown);
});

test("text stays as it is", () => {
  const text = "Grüße,\n\t你好 👩‍👩‍👧 e\u0301 \u202eabc\u202c\u2028";
  expect(harmless(text)).toBe(text);
  expect(harmless("one\r\ntwo")).toBe("one\ntwo");
});
