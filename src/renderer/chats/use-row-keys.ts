import type { KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { useAssistant } from "../lib/assistant.tsx";
import { isComposing, isTextField } from "../lib/shortcuts.ts";
import { deleteChat } from "./actions.ts";
import type { Line } from "./groups.ts";

/** The id of the element that stands for a chat in the list and takes its focus. */
export const rowId = (chatId: string) => `chat-${chatId}`;

interface RowKeys {
  readonly lines: readonly Line[];
  /** Makes a row the one that Tab reaches, so that it is in the page. */
  reach(chatId: string): void;
  openMenu(chatId: string): void;
}

/** What the keys do while a row of the list has the focus. */
export function useRowKeys({ lines, reach, openMenu }: RowKeys) {
  const { chats, layout } = useAssistant();
  const ids = () => lines.flatMap(({ kind, id }) => (kind === "chat" ? [id] : []));

  function focus(chatId: string | undefined): void {
    if (chatId === undefined) return;
    flushSync(() => reach(chatId));
    document.getElementById(rowId(chatId))?.focus();
  }

  const steps: Readonly<Record<string, (at: number, last: number) => number>> = {
    ArrowDown: (at, last) => Math.min(at + 1, last),
    ArrowUp: (at) => Math.max(at - 1, 0),
    Home: () => 0,
    End: (_at, last) => last,
    PageDown: (at, last) => Math.min(at + 10, last),
    PageUp: (at) => Math.max(at - 10, 0),
  };

  function act({ key, shiftKey }: KeyboardEvent, chatId: string): boolean {
    if (key === "F2") layout.rename(chatId);
    else if (key === "ContextMenu" || (key === "F10" && shiftKey)) openMenu(chatId);
    else if (key === "Delete") {
      const all = ids();
      const at = all.indexOf(chatId);
      focus(all[at + 1] ?? all[at - 1]);
      void deleteChat(chats, chatId);
    } else return false;
    return true;
  }

  return function onKeyDown(event: KeyboardEvent): void {
    const row = (event.target as Element).closest?.("[data-chat]");
    const chatId = row?.getAttribute("data-chat");
    if (!chatId || isTextField(event.target) || isComposing(event.nativeEvent)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = ids();
    const step = steps[event.key];
    if (step) focus(all[step(all.indexOf(chatId), all.length - 1)]);
    if (step || act(event, chatId)) event.preventDefault();
  };
}
