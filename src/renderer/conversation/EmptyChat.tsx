import { useTranslation } from "react-i18next";
import type { Composer } from "./composer.ts";
import styles from "./EmptyChat.module.css";

const examples = ["conversation.example1", "conversation.example2", "conversation.example3"] as const;

/** A chat in which nothing was said yet: what can be done here, and three ways to begin. */
export function EmptyChat({ composer }: { composer: Composer }) {
  const { t } = useTranslation();
  return (
    <div className={styles.empty}>
      <h2 className={styles.title}>{t("conversation.emptyTitle")}</h2>
      <p className={styles.text}>{t("conversation.emptyText")}</p>
      <ul className={styles.examples}>
        {examples.map((example) => (
          <li key={example}>
            <button type="button" className={styles.example} onClick={() => composer.fill(t(example))}>
              {t(example)}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
