import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./EngineLine.module.css";
import { sizeOf, thousandsOf } from "./figures.ts";

const stepWords = {
  "fewer-layers": "models.engineFewerLayers",
  cpu: "models.engineCpu",
  "smaller-window": "models.engineSmallerWindow",
} as const;

/** What the engine holds, how fast it was, and what had to be made smaller so that it runs. */
export function EngineLine() {
  const { models } = useAssistant();
  const { t, i18n } = useTranslation();
  const engine = useStore(models.store, (state) => state.engine);
  if (engine.name === undefined) return <p className={styles.line}>{t("models.engineIdle")}</p>;
  const speed = (value: number) =>
    new Intl.NumberFormat(i18n.language, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
  const { window, device, threads, memoryBytes, readSpeed, writeSpeed, steps } = engine;
  const facts = [
    t("models.engineRuns", { name: visibleText(engine.name) }),
    window !== undefined && t("models.window", { window: thousandsOf(window) }),
    device !== undefined && t("models.engineDevice", { device: visibleText(device) }),
    threads !== undefined && t("models.engineThreads", { count: threads }),
    memoryBytes !== undefined && t("models.engineMemory", { size: sizeOf(memoryBytes, i18n.language) }),
    readSpeed !== undefined && t("models.engineReads", { speed: speed(readSpeed) }),
    writeSpeed !== undefined && t("models.engineWrites", { speed: speed(writeSpeed) }),
    ...steps.map((step) => t(stepWords[step])),
  ];
  return (
    <p className={styles.line}>
      <span>{facts.filter((fact) => fact !== false).join(" · ")}</span>{" "}
      <button type="button" className="ghost" onClick={() => void models.unload()}>
        {t("models.unload")}
      </button>
    </p>
  );
}
