import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { linkedPreset } from "../models/chat-model.ts";
import styles from "./SettingsDialog.module.css";
import { useNamed } from "./setting-context.ts";

/** Which model new chats use, and the way to the others. */
export function ModelField() {
  const { t } = useTranslation();
  const { models, cloud, settings, layout } = useAssistant();
  const chosen = useStore(models.store, (state) => state.cards.find((card) => card.chosen)?.name);
  const file = useStore(settings.store, (state) => state.settings.model);
  const preset = useStore(cloud.store, (state) => linkedPreset(state.overview, file)?.preset.name);
  const name = preset ?? chosen ?? file;
  return (
    <div className={styles.folder}>
      <span>{name === undefined ? t("settings.modelNone") : visibleText(name)}</span>
      <button type="button" aria-describedby={useNamed()["aria-labelledby"]} onClick={() => layout.show("models")}>
        {t("settings.modelChoose")}
      </button>
    </div>
  );
}
