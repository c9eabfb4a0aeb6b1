import { ArrowUp, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { modelOfPreset, presetIdOf } from "../../shared/cloud.ts";
import { type Assistant, useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { linkedPreset } from "../models/chat-model.ts";
import { fileNameOf } from "../models/download.ts";
import { Choice } from "./Choice.tsx";
import styles from "./SettingsDialog.module.css";
import { useNamed } from "./setting-context.ts";

/** Whether anything but this computer may be connected to. */
export function LocalMode() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const isLocal = useStore(settings.store, (state) => state.settings.localMode);
  return (
    <Choice<"on" | "off">
      value={isLocal ? "on" : "off"}
      options={[
        { value: "on", label: t("settings.yes") },
        { value: "off", label: t("settings.no") },
      ]}
      onChange={(chosen) => void settings.change({ localMode: chosen === "on" })}
    />
  );
}

/** The way to the connections and their keys. */
export function CloudButton() {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  return (
    <button type="button" aria-describedby={useNamed()["aria-labelledby"]} onClick={() => layout.show("cloud")}>
      {t("settings.show")}
    </button>
  );
}

const MOST = 5;

/** Which models are asked instead, in their order. */
export function Fallbacks() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const named = useNamed();
  const chosen = useStore(settings.store, (state) => state.settings.fallbacks);
  const nameOf = useModelNames();
  const change = (fallbacks: readonly string[]) => void settings.change({ fallbacks: [...fallbacks] });
  const others = [...nameOf.keys()].filter((model) => !chosen.includes(model));
  return (
    <div className={styles.fallbacks}>
      <ol aria-labelledby={named["aria-labelledby"]}>
        {chosen.map((model, at) => {
          const name = nameOf.get(model) ?? t("cloud.removed");
          return (
            <li key={model}>
              <span>{name}</span>
              {at > 0 && (
                <button
                  type="button"
                  className={`ghost ${styles.icon}`}
                  aria-label={t("settings.fallbackSooner", { name })}
                  onClick={() => change(chosen.toSpliced(at, 1).toSpliced(at - 1, 0, model))}
                >
                  <ArrowUp size={14} aria-hidden />
                </button>
              )}
              <button
                type="button"
                className={`ghost ${styles.icon}`}
                aria-label={t("settings.fallbackNever", { name })}
                onClick={() => change(chosen.toSpliced(at, 1))}
              >
                <X size={14} aria-hidden />
              </button>
            </li>
          );
        })}
      </ol>
      {chosen.length < MOST && others.length > 0 && (
        <select {...named} value="" onChange={({ target }) => change([...chosen, target.value])}>
          <option value="">{t("settings.fallbackAdd")}</option>
          {others.map((model) => (
            <option key={model} value={model}>
              {nameOf.get(model)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

/** Every model that can be asked, with its name: those of this computer first. */
function useModelNames(): ReadonlyMap<string, string> {
  const { models, cloud, settings }: Assistant = useAssistant();
  const cards = useStore(models.store, (state) => state.cards);
  const overview = useStore(cloud.store, (state) => state.overview);
  const chosen = useStore(settings.store, (state) => state.settings.fallbacks);
  const here = cards.filter(({ state }) => state === "here").map(({ id, name }) => [id, visibleText(name)] as const);
  const files = chosen
    .filter((model) => presetIdOf(model) === undefined)
    .map((path) => [path, fileNameOf(path)] as const);
  const presets = overview.presets.flatMap(({ id, name }) => {
    const model = modelOfPreset(id);
    const host = linkedPreset(overview, model)?.connection.host;
    return host === undefined ? [] : [[model, `${visibleText(name)} · ${host}`] as const];
  });
  return new Map([...files, ...here, ...presets]);
}
