import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./ChatLines.module.css";

/** In place of the list while there is none. */
export function NoChats() {
  const { t } = useTranslation();
  const { chats } = useAssistant();
  const status = useStore(chats.store, (state) => state.status);
  const problem = useStore(chats.store, (state) => state.problem);
  if (status === "reading") return <p className={styles.none}>{t("chats.reading")}</p>;
  if (status === "ready") {
    return (
      <div className={styles.none}>
        <b>{t("chats.none")}</b>
        <p>{t("chats.noneNext")}</p>
      </div>
    );
  }
  return (
    <div className={styles.none} role="alert">
      <b>{t("chats.unread")}</b>
      <p>{problem?.message}</p>
      <button type="button" onClick={() => void chats.read()}>
        {t("app.tryAgain")}
      </button>
    </div>
  );
}
