import type { ChatSummary } from "../../shared/views.ts";
import { isPrivate } from "../lib/chat-id.ts";
import type { StoredChat } from "./backend.ts";

/** A chat as the list shows it. */
export function chatSummary(chat: StoredChat, isRunning: boolean): ChatSummary {
  const { id, title, pinned, neverCloud, createdAt, updatedAt, model } = chat;
  return {
    id,
    title,
    pinned,
    private: isPrivate(id),
    createdAt,
    updatedAt,
    ...(model !== undefined && { model }),
    neverCloud,
    state: isRunning ? "running" : restingState(chat),
  };
}

function restingState({ lastStop }: StoredChat): ChatSummary["state"] {
  if (lastStop === "interrupted") return "interrupted";
  return lastStop === "error" || lastStop === "tool_error" ? "failed" : "idle";
}
