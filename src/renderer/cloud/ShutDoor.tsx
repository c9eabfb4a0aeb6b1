import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./Cloud.module.css";

/** Local mode is on: why nobody can be asked, and the switch. */
export function ShutDoor() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  return (
    <p className={styles.shut}>
      {t("cloud.testOpens")}{" "}
      <button type="button" onClick={() => void settings.change({ localMode: false })}>
        {t("cloud.turnOff")}
      </button>
    </p>
  );
}
