import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./HealthBanner.module.css";

/** Over everything else, where what people say cannot be kept, or where something was brought over from a damaged file. */
export function HealthBanner() {
  const { t, i18n } = useTranslation();
  const { health, layout } = useAssistant();
  const { mode, error } = useStore(health.store, (state) => state.storage);
  const rescue = useStore(health.store, ({ report }) => report?.rescues.find(({ seen }) => !seen));
  useEffect(() => void health.read(), [health]);
  if (mode === "normal" && !rescue) return null;

  const number = new Intl.NumberFormat(i18n.language);
  const figures = rescue && { recovered: number.format(rescue.recovered), total: number.format(rescue.total) };
  const texts = [
    error ? `${t(`problems.${error.code}`)}.` : "",
    mode === "read-only" ? t("care.readOnly") : "",
    mode === "none" ? t("care.noStore") : "",
    mode === "normal" && figures ? t("care.rescued", figures) : "",
  ];
  return (
    <section className={styles.banner} data-tone={mode === "normal" ? "warn" : "danger"} role="status">
      <p className={styles.text}>{texts.filter((text) => text !== "").join(" ")}</p>
      <button type="button" onClick={() => layout.show("health")}>
        {t("care.health")}
      </button>
      {mode === "normal" && (
        <button type="button" className="ghost" onClick={() => void health.seen()}>
          {t("care.seen")}
        </button>
      )}
    </section>
  );
}
