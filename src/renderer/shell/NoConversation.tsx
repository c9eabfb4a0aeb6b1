import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./ErrorBoundary.module.css";

/** In place of the conversation while no chat is open: nothing for a moment, or why none could be opened. */
export function NoConversation() {
  const { t } = useTranslation();
  const { chats } = useAssistant();
  const problem = useStore(chats.store, (state) => state.problem);
  return (
    <main id="conversation" tabIndex={-1}>
      {problem && (
        <div className={styles.broken} role="alert">
          <b>{t("app.noChat")}</b>
          <p>{problem.message}</p>
          <button type="button" onClick={() => void chats.create()}>
            {t("app.tryAgain")}
          </button>
        </div>
      )}
    </main>
  );
}
