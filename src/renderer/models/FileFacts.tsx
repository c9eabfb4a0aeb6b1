import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ModelFacts } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./FileFacts.module.css";
import { countOf, sizeOf, thousandsOf } from "./figures.ts";
import { FitTag } from "./ModelTile.tsx";

/** What a file of one's own says of itself, before it is used: where it is, or as a copy. Its file is never changed. */
export function FileFacts({ facts, onDone }: { facts: ModelFacts; onDone: () => void }) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);

  async function add(copy: boolean): Promise<void> {
    setBusy(true);
    const isAdded = await models.add(facts.path, copy);
    setBusy(false);
    if (isAdded) onDone();
  }

  return (
    <section className={styles.facts} aria-label={t("models.factsTitle", { name: visibleText(facts.name) })}>
      <p className={styles.name}>
        <b>{t("models.factsTitle", { name: visibleText(facts.name) })}</b> <FitTag fit={facts.fit} />
      </p>
      <small>{useFactWords(facts)}</small>
      <span className={styles.actions}>
        <button type="button" className="primary" disabled={isBusy} onClick={() => void add(false)}>
          {t("models.useInPlace")}
        </button>
        <button type="button" disabled={isBusy} onClick={() => void add(true)}>
          {t(isBusy ? "models.copying" : "models.copyIn")}
        </button>
        <button type="button" className="ghost" onClick={onDone}>
          {t("models.cancel")}
        </button>
      </span>
    </section>
  );
}

/** `1.5 B parameters · Q4_K_M · 32k window · calls tools · 1 GB` */
function useFactWords(facts: ModelFacts): string {
  const { t, i18n } = useTranslation();
  const { parameters, quantisation, trainedWindow, tools, thinking, licence, bytes, parts } = facts;
  return visibleText(
    [
      parameters !== undefined && t("models.parameters", { count: countOf(parameters, i18n.language) }),
      quantisation,
      t("models.window", { window: thousandsOf(trainedWindow) }),
      t(tools ? "models.hasTools" : "models.noTools"),
      thinking && t("models.thinks"),
      sizeOf(bytes, i18n.language),
      parts > 1 && t("models.files", { count: parts }),
      licence,
    ]
      .filter((fact) => typeof fact === "string")
      .join(" · "),
  );
}
