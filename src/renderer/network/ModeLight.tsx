import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./ModeLight.module.css";

/** Whether anything may leave this computer, at a glance; it leads to what did. */
export function ModeLight() {
  const { t } = useTranslation();
  const { settings, layout } = useAssistant();
  const isLocal = useStore(settings.store, (state) => state.settings.localMode);
  return (
    <button
      type="button"
      className={`ghost ${styles.light}`}
      data-mode={isLocal ? "local" : "online"}
      title={t("network.lightShow")}
      onClick={() => {
        layout.toggleSide(false);
        layout.showTab("network");
      }}
    >
      <i className={styles.dot} aria-hidden />
      {t(isLocal ? "network.lightOn" : "network.lightOff")}
    </button>
  );
}
