import { t } from "i18next";
import { holdsAll } from "../chats/hits.ts";
import type { Assistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import type { Shortcut } from "../lib/shortcuts.ts";
import { inOrder } from "../stores/chats.ts";
import { commands, listedChat, paletteShortcut } from "./commands.ts";
import { focusSearch } from "./places.ts";

const MAX_CHATS = 20;

/** Something that can be chosen in the palette. */
export interface PaletteItem {
  readonly id: string;
  readonly kind: "command" | "chat" | "search";
  readonly label: string;
  readonly shortcut?: Shortcut | undefined;
  run(assistant: Assistant): unknown;
}

export interface PaletteGroup {
  readonly name: string;
  readonly items: readonly PaletteItem[];
}

/** The commands and the chats that have all words of the query in their names, and the search for it in all chats. */
export function paletteGroups(assistant: Assistant, query: string): PaletteGroup[] {
  const isNamed = ({ label }: PaletteItem) => holdsAll(label, query);
  const search = query.trim() === "" ? [] : [searchItem(query.trim())];
  return [
    { name: t("app.commands"), items: commandItems(assistant).filter(isNamed) },
    { name: t("chats.chats"), items: [...chatItems(assistant).filter(isNamed).slice(0, MAX_CHATS), ...search] },
  ].filter(({ items }) => items.length > 0);
}

function commandItems(assistant: Assistant): PaletteItem[] {
  const hasChat = listedChat(assistant) !== undefined;
  return commands
    .filter(({ shortcut, needsChat }) => shortcut !== paletteShortcut && (hasChat || !needsChat))
    .map(({ word, shortcut, run }) => ({ id: word, kind: "command", label: t(word), shortcut, run }));
}

function chatItems({ chats }: Assistant): PaletteItem[] {
  return inOrder(chats.store.getState().chats).map(({ id, title }) => ({
    id,
    kind: "chat",
    label: visibleText(title) || t("chats.untitled"),
    run({ layout }) {
      layout.toggleSide(false);
      chats.open(id);
    },
  }));
}

const searchItem = (query: string): PaletteItem => ({
  id: "search",
  kind: "search",
  label: t("app.paletteSearch", { query }),
  run: ({ layout }) => focusSearch(layout, query),
});
