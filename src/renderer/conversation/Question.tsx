import { useTranslation } from "react-i18next";
import { PlainText } from "./markdown/PlainText.tsx";
import styles from "./Turn.module.css";

/** What the person said: a question, or a follow-up that joined the answer. */
export function Question({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <div className={styles.you}>
      <h2 className="unseen">{t("conversation.you")}</h2>
      <PlainText text={text} className={styles.question} />
    </div>
  );
}
