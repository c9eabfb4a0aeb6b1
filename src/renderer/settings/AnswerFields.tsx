import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { Choice } from "./Choice.tsx";
import { type NumberSetting, rangeOf, readNumber } from "./number-range.ts";
import styles from "./SettingsDialog.module.css";
import { useNamed } from "./setting-context.ts";

export const Temperature = () => <NumberField setting="temperature" />;
export const MaxOutputTokens = () => <NumberField setting="maxOutputTokens" />;
export const ContextTokens = () => <NumberField setting="contextTokens" />;
export const GoalIterations = () => <NumberField setting="goalIterations" />;
export const GoalTokens = () => <NumberField setting="goalTokens" />;
export const GoalMinutes = () => <NumberField setting="goalMinutes" />;

/** Whether an interrupted answer goes on without being asked. */
export function ContinueAfterCrash() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const value = useStore(settings.store, (state) => state.settings.continueAfterCrash);
  return (
    <Choice<"yes" | "no">
      value={value ? "yes" : "no"}
      options={[
        { value: "no", label: t("settings.no") },
        { value: "yes", label: t("settings.yes") },
      ]}
      onChange={(chosen) => void settings.change({ continueAfterCrash: chosen === "yes" })}
    />
  );
}

/** A number that applies as soon as it is one that is allowed; if not, it says which are. */
function NumberField({ setting }: { setting: NumberSetting }) {
  const { t, i18n } = useTranslation();
  const { settings } = useAssistant();
  const named = useNamed();
  const wrong = useId();
  const value = useStore(settings.store, (state) => state.settings[setting]);
  const [typed, setTyped] = useState<string | null>(null); // null: as it is set
  const range = rangeOf(setting);
  const isWrong = typed !== null && readNumber(typed, range) === null;

  function type(text: string): void {
    setTyped(text);
    const number = readNumber(text, range);
    if (number !== null && number !== value) void settings.change({ [setting]: number });
  }

  const inWords = (number: number) => number.toLocaleString(i18n.language);
  return (
    <div className={styles.number}>
      <input
        id={named.id}
        className={styles.input}
        inputMode={range.isWhole ? "numeric" : "decimal"}
        autoComplete="off"
        value={typed ?? inWords(value)}
        aria-invalid={isWrong}
        aria-labelledby={named["aria-labelledby"]}
        aria-describedby={`${named["aria-describedby"]} ${wrong}`}
        onChange={(event) => type(event.target.value)}
        onBlur={() => isWrong || setTyped(null)}
      />
      <p id={wrong} className={styles.wrong} role="status">
        {isWrong &&
          t(range.isWhole ? "settings.rangeWhole" : "settings.range", {
            from: inWords(range.from),
            to: inWords(range.to),
          })}
      </p>
    </div>
  );
}
