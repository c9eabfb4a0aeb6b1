import type { Desk } from "../../shared/bridge.ts";
import type { Hello } from "../../shared/ipc.ts";
import { type Language, languageOf, words } from "../../shared/words/index.ts";

type Area = keyof typeof words;
/** `window.quit`, `problems.disk-full`, …: a word of the catalogue by its area and its key. */
export type WordKey = { [A in Area]: `${A}.${keyof (typeof words)[A] & string}` }[Area];

/** A word in the language that is spoken now, its blanks filled with `values`. */
export type Say = (key: WordKey, values?: Readonly<Record<string, string>>) => string;

/** The words of menus and dialogs, in the language that the settings name. */
export interface Speech {
  readonly say: Say;
  /** Takes up a changed setting; tells those who asked to be told when the language is another one. */
  follow(setting: Language | "system"): void;
  onChange(listener: () => void): void;
}

/** `system`: the language of the system, as Electron names it. It is spoken until the settings are known. */
export function createSpeech(system: string): Speech {
  let language = languageOf("system", system);
  const listeners: (() => void)[] = [];
  return {
    say: (key, values = {}) => fill(wordOf(key, language), values),
    follow(setting) {
      const next = languageOf(setting, system);
      if (next === language) return;
      language = next;
      for (const listener of listeners) listener();
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

function wordOf(key: WordKey, language: Language): string {
  const [area = "", name = ""] = key.split(".");
  return (words as Record<string, Record<string, Record<Language, string>>>)[area]?.[name]?.[language] ?? key;
}

function fill(sentence: string, values: Readonly<Record<string, string>>): string {
  return sentence.replace(/\{\{(\w+)\}\}/g, (blank, name: string) => values[name] ?? blank);
}

/** The menus are one more client of the desk: they speak the language of the settings, and change it with them. */
export async function followSettings(desk: Desk, speech: Speech): Promise<void> {
  const client = desk.connect({ kind: "window" }, ({ seq, events }) => {
    void client.call("stream.ack", { seq });
    for (const { event } of events) if (event.type === "settings") speech.follow(event.settings.language);
  });
  const hello = await client.call("app.hello", {});
  if (hello.ok) speech.follow((hello.value as Hello).settings.language); // the desk has checked what it answers
}
