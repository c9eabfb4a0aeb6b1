import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ModelCard } from "../../shared/views.ts";
import type { Language } from "../../shared/words/index.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { DownloadPart } from "./DownloadPart.tsx";
import { sizeOf, thousandsOf } from "./figures.ts";
import styles from "./ModelTile.module.css";

const fitWords = { well: "models.fitsWell", tight: "models.fitsTightly", "too-big": "models.tooBig" } as const;

/** How well a model goes together with this computer. */
export function FitTag({ fit }: Pick<ModelCard, "fit">) {
  const { t } = useTranslation();
  return (
    <span className={styles.tag} data-fit={fit}>
      {t(fitWords[fit])}
    </span>
  );
}

/** One model: what it is good at, what it takes of this computer, and what can be done with it now. */
export function ModelTile({ card, memoryBytes }: { card: ModelCard; memoryBytes: number }) {
  const { t, i18n } = useTranslation();
  const { name, fit, suggested, chosen, state, about, untried, held } = card;
  const isInUse = chosen && state === "here";
  return (
    <li className={styles.tile} data-best={suggested} data-fit={fit}>
      <div className={styles.about}>
        <h2 className={styles.name}>
          {visibleText(name)} <FitTag fit={fit} />
          {suggested && <span className={styles.tag}>{t("models.suggested")}</span>}
          {isInUse && <span className={styles.tag}>{t("models.inUse")}</span>}
          {untried && state !== "here" && <span className={styles.tag}>{t("models.untried")}</span>}
          {held !== undefined && <span className={styles.tag}>{t("models.held")}</span>}
        </h2>
        {about && <p className={styles.words}>{about[i18n.language as Language]}</p>}
        <small title={useParts(card)}>{useNumbers(card, memoryBytes)}</small>
        {held !== undefined && <Held card={card} held={held} />}
        {state === "here" && <Remove card={card} />}
      </div>
      <DownloadPart card={card} />
    </li>
  );
}

/** Size, memory, window and licence; for one that is too big, why. */
function useNumbers({ bytes, memoryBytes: needed, largestWindow, fit, licence }: ModelCard, memoryBytes: number) {
  const { t, i18n } = useTranslation();
  const size = (value: number) => sizeOf(value, i18n.language);
  const memory = { needed: size(needed), memory: size(memoryBytes) };
  if (fit === "too-big") return t("models.needsMore", memory);
  const window = largestWindow > 0 && t("models.largestWindow", { window: thousandsOf(largestWindow) });
  const facts = [t("models.size", { size: size(bytes) }), t("models.memory", memory), window, licence];
  return facts.filter((fact): fact is string => typeof fact === "string").join(" · ");
}

/** What the memory is for. */
function useParts({ memory: { weights, cache, compute } }: ModelCard): string {
  const { settings } = useAssistant();
  const { t, i18n } = useTranslation();
  const window = useStore(settings.store, (state) => state.settings.contextTokens);
  const size = (value: number) => sizeOf(value, i18n.language);
  const parts = { weights: size(weights), cache: size(cache), compute: size(compute) };
  return t("models.parts", { ...parts, window: thousandsOf(window) });
}

/** Why it is held back, and the ways to try it once more. */
function Held({ card: { id, name }, held }: { card: ModelCard; held: string }) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const named = (action: string) => t("models.named", { action, name: visibleText(name) });
  return (
    <div className={styles.held} role="note">
      <p>{held}</p>
      <button type="button" aria-label={named(t("models.trySafer"))} onClick={() => void models.release(id, true)}>
        {t("models.trySafer")}
      </button>
      <button
        type="button"
        className="ghost"
        aria-label={named(t("models.tryHeld"))}
        onClick={() => void models.release(id, false)}
      >
        {t("models.tryHeld")}
      </button>
    </div>
  );
}

/** Removing a file is asked about, in place. */
function Remove({ card: { id, name } }: { card: ModelCard }) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const named = (action: string) => t("models.named", { action, name: visibleText(name) });
  if (!isAsking) {
    return (
      <button
        type="button"
        className={`ghost ${styles.remove}`}
        aria-label={named(t("models.remove"))}
        onClick={() => setAsking(true)}
      >
        {t("models.remove")}
      </button>
    );
  }
  return (
    <p className={styles.sure}>
      {t("models.removeSure")}{" "}
      <button type="button" aria-label={named(t("models.removeYes"))} onClick={() => void models.remove(id)}>
        {t("models.removeYes")}
      </button>{" "}
      <button
        type="button"
        className="ghost"
        // biome-ignore lint/a11y/noAutofocus: the question was asked for just now, and this is the harmless answer
        autoFocus
        onClick={() => setAsking(false)}
      >
        {t("models.cancel")}
      </button>
    </p>
  );
}
