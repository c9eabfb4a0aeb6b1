import { CloudOff, EyeOff, PanelLeft } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { ContextGauge } from "../inspector/ContextGauge.tsx";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import styles from "./Conversation.module.css";

/** The chat's title, how full the model's window is, and the way to the two columns beside. */
export function ConversationBar({ chat }: { chat: Chat }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  const title = useStore(chat.store, (state) => state.chat?.title ?? "");
  const isPrivate = useStore(chat.store, (state) => state.chat?.private ?? false);
  const isNever = useStore(chat.store, (state) => state.chat?.neverCloud ?? false);
  const isSideOpen = useStore(layout.store, (state) => state.isSideOpen);
  const isInspectorOpen = useStore(layout.store, (state) => state.isInspectorOpen);
  return (
    <header className={styles.bar}>
      <button
        type="button"
        className={`ghost ${styles.side}`}
        aria-label={t("conversation.showChats")}
        aria-expanded={isSideOpen}
        onClick={() => layout.toggleSide()}
      >
        <PanelLeft size={18} aria-hidden />
      </button>
      {isPrivate && <EyeOff size={16} aria-hidden className={styles.private} />}
      {isNever && (
        <span className={styles.private} title={t("cloud.isNever")}>
          <CloudOff size={16} aria-hidden />
          <span className="unseen">{t("cloud.isNever")}</span>
        </span>
      )}
      <h1 className={styles.title}>{title === "" ? t("conversation.untitled") : visibleText(title)}</h1>
      <ContextGauge chat={chat} />
      <button
        type="button"
        className={`ghost ${styles.toggle}`}
        aria-pressed={isInspectorOpen}
        onClick={() => layout.toggleInspector()}
      >
        {t("conversation.trace")}
      </button>
    </header>
  );
}
