import { Switch } from "@base-ui/react/switch";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./NetworkTab.module.css";

/** The kill switch, with what it does now. */
export function LocalModeSwitch() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const isLocal = useStore(settings.store, (state) => state.settings.localMode);
  const [label, help] = [useId(), useId()];
  return (
    <div className={styles.mode}>
      <b id={label}>{t("network.localMode")}</b>
      <Switch.Root
        className={styles.switch}
        checked={isLocal}
        aria-labelledby={label}
        aria-describedby={help}
        onCheckedChange={(localMode) => void settings.change({ localMode })}
      >
        <Switch.Thumb className={styles.thumb} />
      </Switch.Root>
      <p id={help} className={styles.help}>
        {t(isLocal ? "network.localModeOn" : "network.localModeOff")}
      </p>
    </div>
  );
}
