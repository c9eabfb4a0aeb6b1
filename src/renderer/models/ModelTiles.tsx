import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { FileChooser } from "./FileChooser.tsx";
import { ModelTile } from "./ModelTile.tsx";
import styles from "./ModelTiles.module.css";

/** Every model this computer knows of, and the way to a file of one's own; `children` stand beside that. */
export function ModelTiles({ children }: { children?: ReactNode }) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const { status, cards, memoryBytes } = useStore(models.store);
  return (
    <>
      {status === "reading" && <p role="status">{t("models.reading")}</p>}
      {status === "ready" && cards.length === 0 && <p>{t("models.none")}</p>}
      <GoesOut />
      <ul className={styles.tiles}>
        {cards.map((card) => (
          <ModelTile key={card.id} card={card} memoryBytes={memoryBytes} />
        ))}
      </ul>
      <div className={styles.more}>
        <FileChooser />
        {children}
      </div>
      <Problem />
    </>
  );
}

/** What a download means while nothing else may leave. */
function GoesOut() {
  const { models, settings } = useAssistant();
  const { t } = useTranslation();
  const isLocal = useStore(settings.store, (state) => state.settings.localMode);
  const canGet = useStore(models.store, ({ cards }) => cards.some(({ state }) => state !== "here"));
  return isLocal && canGet ? <small className={styles.note}>{t("models.goesOut")}</small> : null;
}

/** Why the last thing asked for could not be done. */
function Problem() {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const problem = useStore(models.store, (state) => state.problem);
  const isUnread = useStore(models.store, (state) => state.status === "reading");
  if (!problem) return null;
  return (
    <div className={styles.problem} role="alert">
      <p>
        <b>{t(`problems.${problem.code}`)}.</b> {problem.message}
      </p>
      {isUnread && (
        <button type="button" onClick={() => void models.read()}>
          {t("models.tryAgain")}
        </button>
      )}
    </div>
  );
}
