import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Chat } from "../stores/chat.ts";
import type { ChatState } from "../stores/chat-state.ts";

type Status = "statusAnswering" | "statusDone" | "statusStopped" | "statusFailed" | "statusInterrupted";

function statusOf({ order, turns }: ChatState): Status | null {
  const turn = turns[order.at(-1) ?? ""]?.turn;
  if (!turn) return null;
  if (turn.state !== "done") return "statusAnswering";
  if (turn.stopReason === "aborted") return "statusStopped";
  if (turn.stopReason === "interrupted") return "statusInterrupted";
  return turn.error ? "statusFailed" : "statusDone";
}

/** Says to those who listen how the answer goes: its beginning and its end, not every word. */
export function TranscriptStatus({ chat }: { chat: Chat }) {
  const { t } = useTranslation();
  const status = useStore(chat.store, statusOf);
  return (
    <p role="status" className="unseen">
      {status && t(`conversation.${status}`)}
    </p>
  );
}
