/** A combination of keys. `primary` is ⌘ on a Mac and Ctrl elsewhere. */
export interface Shortcut {
  /** As `KeyboardEvent.key` gives it, letters in lower case. */
  readonly key: string;
  readonly primary?: true;
  readonly shift?: true;
  readonly alt?: true;
}

/** What this module needs of a KeyboardEvent. */
export type KeyPress = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey" | "isComposing" | "keyCode"
>;

export const isMac = typeof navigator !== "undefined" && /mac|iphone|ipad/i.test(navigator.platform);

/** What an input method does with its keys is never a shortcut; 229 is how some browsers say so. */
export const isComposing = (press: Pick<KeyPress, "isComposing" | "keyCode">) =>
  press.isComposing || press.keyCode === 229;

export function matches(press: KeyPress, shortcut: Shortcut, mac: boolean): boolean {
  if (isComposing(press)) return false;
  const { primary = false, shift = false, alt = false } = shortcut;
  const [primaryDown, otherDown] = mac ? [press.metaKey, press.ctrlKey] : [press.ctrlKey, press.metaKey];
  if (primaryDown !== primary || otherDown || press.altKey !== alt) return false;
  // Which keys need Shift for a sign differs by keyboard; letters and named keys are the same on all.
  if (isNamed(shortcut.key) && press.shiftKey !== shift) return false;
  return keyOf(press) === shortcut.key;
}

const isNamed = (key: string) => key.length > 1 || /^[a-z]$/.test(key);

/** The letter on the key where the keyboard writes another alphabet. */
function keyOf({ key, code }: KeyPress): string {
  const isForeign = key.length === 1 && key > "\x7F";
  return isForeign && code.startsWith("Key") ? code.slice(3).toLowerCase() : key.length === 1 ? key.toLowerCase() : key;
}

/** A text field keeps what it knows itself: everything without Ctrl or ⌘, and on a Mac ⌥ with the arrows. */
export function isKeptByText({ primary, alt }: Shortcut, mac: boolean): boolean {
  return !primary && (mac || !alt);
}

/** Whether keys go into text here. */
export function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));
}

const signs: Readonly<Record<string, string>> = { ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", Enter: "↵" };

/** Its keys, one by one, as they are written on the keyboard. */
export function keysOf({ key, primary, shift, alt }: Shortcut, mac: boolean): string[] {
  return [
    ...(primary ? [mac ? "⌘" : "Ctrl"] : []),
    ...(alt ? [mac ? "⌥" : "Alt"] : []),
    ...(shift ? [mac ? "⇧" : "Shift"] : []),
    signs[key] ?? (key.length === 1 ? key.toUpperCase() : key),
  ];
}

/** For `aria-keyshortcuts`. */
export function ariaKeys({ key, primary, shift, alt }: Shortcut, mac: boolean): string {
  const held = [primary && (mac ? "Meta" : "Control"), alt && "Alt", shift && "Shift"].filter(Boolean);
  return [...held, key.length === 1 ? key.toUpperCase() : key].join("+");
}
