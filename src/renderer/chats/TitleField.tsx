import { type KeyboardEvent, useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import type { ChatSummary } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { isComposing } from "../lib/shortcuts.ts";
import styles from "./ChatRow.module.css";
import { rowId } from "./use-row-keys.ts";

/** The title of a chat while it is being written. Enter and leaving keep it, Esc does not. */
export function TitleField({ chat }: { chat: ChatSummary }) {
  const { t } = useTranslation();
  const { chats, layout } = useAssistant();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);

  function end(isKept: boolean): void {
    if (layout.store.getState().renaming !== chat.id) return; // Enter ends it, and then it loses the focus
    const title = field.current?.value.trim() ?? "";
    flushSync(() => layout.rename(null));
    if (isKept && title !== "" && title !== chat.title) void chats.rename(chat.id, title);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event.nativeEvent) || (event.key !== "Enter" && event.key !== "Escape")) return;
    event.preventDefault();
    event.stopPropagation(); // Esc leaves the field, not what stands around it
    end(event.key === "Enter");
    document.getElementById(rowId(chat.id))?.focus();
  }

  return (
    <input
      ref={field}
      className={styles.field}
      defaultValue={chat.title}
      maxLength={120}
      aria-label={t("chats.title")}
      onKeyDown={onKeyDown}
      onBlur={() => end(true)}
    />
  );
}
