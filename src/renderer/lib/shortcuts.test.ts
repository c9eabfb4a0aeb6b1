import { describe, expect, test } from "vitest";
import { ariaKeys, isKeptByText, type KeyPress, keysOf, matches, type Shortcut } from "./shortcuts.ts";

const press = (change: Partial<KeyPress>): KeyPress => ({
  key: "k",
  code: "KeyK",
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  isComposing: false,
  keyCode: 75,
  ...change,
});
const palette: Shortcut = { key: "k", primary: true };
const sheet: Shortcut = { key: "/", primary: true };
const newChat: Shortcut = { key: "o", primary: true, shift: true };

describe("a shortcut", () => {
  test("is Ctrl here and ⌘ on a Mac, never the other one", () => {
    expect(matches(press({ ctrlKey: true }), palette, false)).toBe(true);
    expect(matches(press({ metaKey: true }), palette, true)).toBe(true);
    expect(matches(press({ ctrlKey: true }), palette, true)).toBe(false);
    expect(matches(press({ metaKey: true }), palette, false)).toBe(false);
  });

  test("does nothing while an input method composes", () => {
    expect(matches(press({ ctrlKey: true, isComposing: true }), palette, false)).toBe(false);
    expect(matches(press({ ctrlKey: true, keyCode: 229 }), palette, false)).toBe(false);
  });

  test("wants exactly its modifiers, so AltGr and Shift are something else", () => {
    expect(matches(press({ ctrlKey: true, altKey: true }), palette, false)).toBe(false);
    expect(matches(press({ ctrlKey: true, shiftKey: true, key: "K" }), palette, false)).toBe(false);
    expect(matches(press({ ctrlKey: true, shiftKey: true, key: "O", code: "KeyO" }), newChat, false)).toBe(true);
    expect(matches(press({ ctrlKey: true, key: "o", code: "KeyO" }), newChat, false)).toBe(false);
  });

  test("finds a sign wherever the keyboard has it", () => {
    expect(matches(press({ ctrlKey: true, shiftKey: true, key: "/", code: "Digit7" }), sheet, false)).toBe(true);
  });

  test("finds its letter on a keyboard of another alphabet", () => {
    expect(matches(press({ ctrlKey: true, key: "л" }), palette, false)).toBe(true);
  });

  test("leaves a text field the keys it uses itself", () => {
    expect(isKeptByText({ key: "Delete" }, false)).toBe(true);
    expect(isKeptByText({ key: "ArrowDown", alt: true }, true)).toBe(true);
    expect(isKeptByText({ key: "ArrowDown", alt: true }, false)).toBe(false);
    expect(isKeptByText(palette, false)).toBe(false);
  });

  test("is written as on the keyboard, and as screen readers want it", () => {
    expect(keysOf(newChat, false)).toEqual(["Ctrl", "Shift", "O"]);
    expect(keysOf({ key: "ArrowDown", alt: true }, true)).toEqual(["⌥", "↓"]);
    expect(ariaKeys(newChat, true)).toBe("Meta+Shift+O");
    expect(ariaKeys({ key: "ArrowDown", alt: true }, false)).toBe("Alt+ArrowDown");
  });
});
