import { describe, expect, test } from "vitest";
import { visibleText } from "./plain-text.ts";

describe("visible text", () => {
  test.each([
    ["a turned direction", "invoice\u202Efdp.exe", "invoice[U+202E]fdp.exe"],
    ["an isolate", "a\u2067b\u2069", "a[U+2067]b[U+2069]"],
    ["a zero-width space", "pay\u200Bpal", "pay[U+200B]pal"],
    ["a joiner between Latin letters", "a\u200Db", "a[U+200D]b"],
    ["a byte order mark", "\uFEFFhello", "[U+FEFF]hello"],
    ["tag characters", "hi\u{E0041}", "hi[U+E0041]"],
    ["an escape", "\u001B[2J", "[U+001B][2J"],
    ["a lone carriage return", "real\rfake", "real[U+000D]fake"],
    ["a variation selector after a letter", "a\uFE0F", "a[U+FE0F]"],
    ["a soft hyphen", "so\u00ADft", "so[U+00AD]ft"],
  ])("shows %s", (_name, text, shown) => expect(visibleText(text)).toBe(shown));

  test.each([
    ["lines and tabs", "a\tb\nc\r\nd"],
    ["Chinese", "你好，世界"],
    ["a family of emoji", "👩‍👩‍👧 ok"],
    ["an emoji with a tone", "👩🏽‍💻"],
    ["a red heart", "I ❤️ it"],
    ["a keycap", "1️⃣"],
    ["Persian with a non-joiner", "می‌خواهم"],
    ["accents made of two characters", "e\u0301"],
  ])("leaves %s alone", (_name, text) => expect(visibleText(text)).toBe(text));
});
