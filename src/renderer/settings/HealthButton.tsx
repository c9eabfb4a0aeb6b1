import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";

/** The way to the page of health. */
export function HealthButton() {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  return (
    <button type="button" onClick={() => layout.show("health")}>
      {t("settings.show")}
    </button>
  );
}
