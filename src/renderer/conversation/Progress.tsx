import { useTranslation } from "react-i18next";
import type { TurnView } from "../../shared/views.ts";
import type { Chat } from "../stores/chat.ts";
import { RetryLine } from "./RetryLine.tsx";
import styles from "./Turn.module.css";
import { answerRows } from "./turn-facts.ts";

/** What is going on before the first word: how far a model or the prompt is, or why it waits, in a line. */
export function Progress({ chat, view }: { chat: Chat; view: TurnView }) {
  const { t, i18n } = useTranslation();
  const { progress, retry } = view;
  if (retry && !progress) return <RetryLine chat={chat} wait={retry} />;
  if (progress) {
    const share = progress.total > 0 ? Math.min(1, progress.done / progress.total) : 0;
    const percent = new Intl.NumberFormat(i18n.language, { style: "percent" }).format(share);
    return (
      <div className={styles.progress}>
        <span>{t(`conversation.${progress.phase}`, { percent })}</span>
        <span className={styles.track} aria-hidden>
          <span className={styles.filled} style={{ width: `${share * 100}%` }} />
        </span>
      </div>
    );
  }
  const isSilent = answerRows(view).every(({ parts }) => parts.length === 0);
  return isSilent ? <p className={styles.progress}>{t("conversation.working")}</p> : null;
}
