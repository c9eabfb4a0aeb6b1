import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ModelCard } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { FileChooser } from "./FileChooser.tsx";
import { ModelTile } from "./ModelTile.tsx";
import styles from "./ModelTiles.module.css";

interface TilesProps {
  /** Beside the way to a file of one's own. */
  readonly children?: ReactNode;
  /** Only the best for this computer, the smallest, and what is on its way, until more is asked for. */
  readonly few?: true;
}

/** The models this computer knows of, and the way to a file of one's own. */
export function ModelTiles({ children, few }: TilesProps) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const { status, cards, memoryBytes } = useStore(models.store);
  const [isShort, setShort] = useState(few ?? false);
  const shown = isShort ? firstChoices(cards) : cards;
  return (
    <>
      {status === "reading" && <p role="status">{t("models.reading")}</p>}
      {status === "ready" && cards.length === 0 && <p>{t("models.none")}</p>}
      <GoesOut />
      <ul className={styles.tiles}>
        {shown.map((card) => (
          <ModelTile key={card.id} card={card} memoryBytes={memoryBytes} />
        ))}
      </ul>
      <div className={styles.more}>
        {shown.length < cards.length && (
          <button type="button" onClick={() => setShort(false)}>
            {t("models.showAll", { count: cards.length })}
          </button>
        )}
        <FileChooser />
        {children}
      </div>
      <Problem />
    </>
  );
}

/** The best for this computer comes first; the first of the list is the smallest. */
function firstChoices(cards: readonly ModelCard[]): readonly ModelCard[] {
  const best = cards.filter(({ suggested }) => suggested);
  return [...best, ...cards.filter((card, at) => !card.suggested && (at === 0 || card.state !== "absent"))];
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
