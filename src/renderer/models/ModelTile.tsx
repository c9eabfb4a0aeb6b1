import { useTranslation } from "react-i18next";
import type { ModelCard } from "../../shared/views.ts";
import type { Language } from "../../shared/words/index.ts";
import { visibleText } from "../lib/plain-text.ts";
import { DownloadPart } from "./DownloadPart.tsx";
import { sizeOf } from "./figures.ts";
import styles from "./ModelTile.module.css";

const fitWords = { well: "models.fitsWell", tight: "models.fitsTightly", "too-big": "models.tooBig" } as const;

/** One model: what it is good at, what it takes of this computer, and what can be done with it now. */
export function ModelTile({ card, memoryBytes }: { card: ModelCard; memoryBytes: number }) {
  const { t, i18n } = useTranslation();
  const { name, fit, suggested, chosen, state, about } = card;
  const isInUse = chosen && state === "here";
  return (
    <li className={styles.tile} data-best={suggested} data-fit={fit}>
      <div className={styles.about}>
        <h2 className={styles.name}>
          {visibleText(name)} <span className={styles.tag}>{t(fitWords[fit])}</span>
          {suggested && <span className={styles.tag}>{t("models.suggested")}</span>}
          {isInUse && <span className={styles.tag}>{t("models.inUse")}</span>}
        </h2>
        {about && <p className={styles.words}>{about[i18n.language as Language]}</p>}
        <small>{useNumbers(card, memoryBytes)}</small>
      </div>
      <DownloadPart card={card} />
    </li>
  );
}

/** Size, memory and licence; for one that is too big, why. */
function useNumbers({ bytes, memoryBytes: needed, fit, licence }: ModelCard, memoryBytes: number): string {
  const { t, i18n } = useTranslation();
  const size = (value: number) => sizeOf(value, i18n.language);
  const memory = { needed: size(needed), memory: size(memoryBytes) };
  if (fit === "too-big") return t("models.needsMore", memory);
  const facts = [t("models.size", { size: size(bytes) }), t("models.memory", memory)];
  return [...facts, ...(licence ? [licence] : [])].join(" · ");
}
