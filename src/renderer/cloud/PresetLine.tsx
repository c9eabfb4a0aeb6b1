import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { type CloudPreset, type ConnectionView, modelOfPreset } from "../../shared/cloud.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./Cloud.module.css";
import { Problem } from "./Field.tsx";
import { PresetForm } from "./PresetForm.tsx";
import { useAttempt } from "./use-attempt.ts";

interface LineProps {
  readonly preset: CloudPreset;
  readonly connection: ConnectionView;
  readonly isShut: boolean;
}

/** A model with its name: to be changed, removed, or used in new chats. */
export function PresetLine({ preset, connection, isShut }: LineProps) {
  const { t } = useTranslation();
  const { host, settings } = useAssistant();
  const { problem, attempt } = useAttempt();
  const [isEditing, setEditing] = useState(false);
  const byDefault = useStore(settings.store, (state) => state.settings.model);
  const model = modelOfPreset(preset.id);
  const name = visibleText(preset.name);
  const button = (action: string, press: () => void) => (
    <button type="button" className="ghost" aria-label={t("cloud.named", { action, name })} onClick={press}>
      {action}
    </button>
  );
  if (isEditing) {
    return (
      <li>
        <PresetForm preset={preset} connection={connection} isShut={isShut} onDone={() => setEditing(false)} />
      </li>
    );
  }
  return (
    <li className={styles.preset}>
      <span className={styles.presetName}>
        <b>{name}</b> <small>{visibleText(preset.model)}</small>
      </span>
      {byDefault === model ? (
        <small>{t("cloud.isDefault")}</small>
      ) : (
        button(t("cloud.useByDefault"), () => void settings.change({ model }))
      )}
      {button(t("cloud.editModel"), () => setEditing(true))}
      {button(t("cloud.remove"), () => void attempt(() => host.call("cloud.removePreset", { presetId: preset.id })))}
      <Problem problem={problem} />
    </li>
  );
}
