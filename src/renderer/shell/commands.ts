import type { words } from "../../shared/words/index.ts";
import { deleteChat, stepChat } from "../chats/actions.ts";
import type { Assistant } from "../lib/assistant.tsx";
import type { Shortcut } from "../lib/shortcuts.ts";
import { focusComposer, focusSearch, showSide, toggleSide } from "./places.ts";

type Names = keyof typeof words.app;
/** A key of the catalogue. */
type CommandWord = `app.${Extract<Names, `command${string}`>}`;
export type KeyWord = `app.${Extract<Names, `key${string}`>}`;

/** Something a person can do from everywhere. */
export interface Command {
  readonly word: CommandWord;
  readonly shortcut?: Shortcut;
  /** Only where there is a chat in the list to do it to. */
  readonly needsChat?: true;
  run(assistant: Assistant): unknown;
}

export const paletteShortcut: Shortcut = { key: "k", primary: true };

/** The open chat, if it is in the list. */
export function listedChat({ chats }: Pick<Assistant, "chats">) {
  const { current, chats: all } = chats.store.getState();
  return current === null ? undefined : all[current];
}

const withChat =
  (work: (assistant: Assistant, chat: NonNullable<ReturnType<typeof listedChat>>) => unknown) =>
  (assistant: Assistant) => {
    const chat = listedChat(assistant);
    return chat && work(assistant, chat);
  };

/** The one table of commands: the palette, the sheet of shortcuts and the keyboard all read it. */
// biome-ignore format: a table should look like one
export const commands: readonly Command[] = [
  { word: "app.commandNewChat", shortcut: { key: "o", primary: true, shift: true }, run: ({ chats }) => chats.create().then(focusComposer) },
  { word: "app.commandPrivateChat", run: ({ chats }) => chats.create({ private: true }).then(focusComposer) },
  { word: "app.commandPalette", shortcut: paletteShortcut, run: ({ layout }) => layout.show("palette") },
  { word: "app.commandSearch", shortcut: { key: "f", primary: true, shift: true }, run: ({ layout }) => focusSearch(layout) },
  { word: "app.commandNext", shortcut: { key: "ArrowDown", alt: true }, run: ({ chats }) => stepChat(chats, 1) },
  { word: "app.commandPrevious", shortcut: { key: "ArrowUp", alt: true }, run: ({ chats }) => stepChat(chats, -1) },
  { word: "app.commandWrite", shortcut: { key: "l", primary: true, shift: true }, run: focusComposer },
  { word: "app.commandSide", shortcut: { key: "b", primary: true }, run: ({ layout }) => toggleSide(layout) },
  { word: "app.commandTrace", shortcut: { key: ".", primary: true }, run: ({ layout }) => layout.toggleInspector() },
  { word: "app.commandRename", needsChat: true, run: withChat(({ layout }, { id }) => { showSide(layout); layout.rename(id); }) },
  { word: "app.commandPin", needsChat: true, run: withChat(({ chats }, { id, pinned }) => chats.pin(id, !pinned)) },
  { word: "app.commandDelete", needsChat: true, run: withChat(({ chats }, { id }) => deleteChat(chats, id)) },
  { word: "app.commandModels", run: ({ layout }) => layout.show("models") },
  { word: "app.commandCloud", run: ({ layout }) => layout.show("cloud") },
  { word: "app.commandNetwork", run: ({ layout }) => layout.showTab("network") },
  { word: "app.commandLocalMode", run: ({ settings }) => settings.change({ localMode: !settings.store.getState().settings.localMode }) },
  { word: "app.commandHealth", run: ({ layout }) => layout.show("health") },
  { word: "app.commandSettings", shortcut: { key: ",", primary: true }, run: ({ layout }) => layout.show("settings") },
  { word: "app.commandShortcuts", shortcut: { key: "/", primary: true }, run: ({ layout }) => layout.show("shortcuts") },
  { word: "app.commandLight", run: ({ settings }) => settings.change({ theme: "light" }) },
  { word: "app.commandDark", run: ({ settings }) => settings.change({ theme: "dark" }) },
  { word: "app.commandSystemTheme", run: ({ settings }) => settings.change({ theme: "system" }) },
  { word: "app.commandEnglish", run: ({ settings }) => settings.change({ language: "en" }) },
  { word: "app.commandChinese", run: ({ settings }) => settings.change({ language: "zh-CN" }) },
];

/** Keys that mean something in one place only; they work there, here they are told. */
export const keysInPlace: ReadonlyArray<{ readonly word: KeyWord; readonly shortcut: Shortcut }> = [
  { word: "app.keySend", shortcut: { key: "Enter" } },
  { word: "app.keyNewLine", shortcut: { key: "Enter", shift: true } },
  { word: "app.keyStop", shortcut: { key: "Escape" } },
  { word: "app.keyRename", shortcut: { key: "F2" } },
  { word: "app.keyDelete", shortcut: { key: "Delete" } },
  { word: "app.keyMenu", shortcut: { key: "F10", shift: true } },
  { word: "app.keyNews", shortcut: { key: "F6" } },
];
