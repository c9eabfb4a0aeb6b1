import type { ChatSummary } from "../../shared/views.ts";
import { isPrivate } from "../lib/chat-id.ts";

/** Nobody opens so many new chats and writes in none. */
const MOST = 100;

/** Chats before their first message: nothing of them is stored, but a model may have been chosen. */
export function createUnbornChats(now: () => number, isMarked: (chatId: string) => boolean) {
  const models = new Map<string, string>();

  function summary(id: string): ChatSummary {
    const model = models.get(id);
    const at = now();
    return {
      id,
      title: "",
      pinned: false,
      private: isPrivate(id),
      createdAt: at,
      updatedAt: at,
      ...(model !== undefined && { model }),
      neverCloud: isMarked(id),
      state: "idle",
    };
  }

  return {
    summary,
    choose(chatId: string, model: string | null): ChatSummary {
      if (model === null) models.delete(chatId);
      else models.set(chatId, model);
      for (const oldest of [...models.keys()].slice(0, -MOST)) models.delete(oldest);
      return summary(chatId);
    },
    /** The chat is born: the model that was chosen for it, once. */
    take(chatId: string): string | undefined {
      const model = models.get(chatId);
      models.delete(chatId);
      return model;
    },
  };
}

export type UnbornChats = ReturnType<typeof createUnbornChats>;
