import { t } from "i18next";
import { toasts } from "../lib/toasts.ts";
import type { Chats } from "../stores/chats.ts";
import { linesOf } from "./groups.ts";

const UNDO_MS = 10_000;

/** Deletes a chat at once and offers to bring it back. */
export async function deleteChat(chats: Chats, chatId: string): Promise<void> {
  await chats.remove(chatId);
  if (chats.store.getState().problem) return;
  const id = toasts.add({
    title: t("chats.deleted"),
    timeout: UNDO_MS,
    actionProps: {
      children: t("chats.undo"),
      onClick() {
        toasts.close(id);
        void chats.restore(chatId);
      },
    },
  });
}

/** Opens the chat below (1) or above (-1) the open one, as the list shows them. */
export function stepChat(chats: Chats, step: 1 | -1): void {
  const { chats: all, current } = chats.store.getState();
  const ids = linesOf(Object.values(all), Date.now()).flatMap(({ kind, id }) => (kind === "chat" ? [id] : []));
  const at = ids.indexOf(current ?? "");
  const next = at < 0 ? ids[0] : ids[at + step];
  if (next !== undefined) chats.open(next);
}
