import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./FirstRun.module.css";
import { ModelTiles } from "./ModelTiles.tsx";

/** The screen of a first start: get a model, or use a file. */
export function FirstRun({ onSkip }: { onSkip: () => void }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  return (
    <main className={styles.first}>
      <div className={styles.card}>
        <p className={styles.brand}>
          <span aria-hidden>◗</span> {t("app.name")}
        </p>
        <h1 className={styles.title}>{t("models.firstTitle")}</h1>
        <p className={styles.about}>{t("models.firstAbout")}</p>
        <ModelTiles few>
          <button type="button" onClick={() => layout.show("cloud")}>
            {t("cloud.use")}
          </button>
          <button type="button" className="ghost" onClick={onSkip}>
            {t("models.skip")}
          </button>
        </ModelTiles>
        <p className={styles.promise}>
          <small>{t("models.promise")}</small>
        </p>
      </div>
    </main>
  );
}
