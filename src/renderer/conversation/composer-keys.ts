/** What is read of a key. */
export interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly isComposing: boolean;
  /** 229 while an input method works, also in browsers that end the composition before they tell the key. */
  readonly keyCode: number;
}

/** What a key in the message box means; null: what it always means. */
export function composerKey({ key, shiftKey, isComposing, keyCode }: Key): "send" | null {
  if (isComposing || keyCode === 229) return null;
  return key === "Enter" && !shiftKey ? "send" : null;
}
