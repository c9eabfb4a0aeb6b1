import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";

/** The way to the sheet of shortcuts. */
export function ShortcutsButton() {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  return (
    <button type="button" onClick={() => layout.show("shortcuts")}>
      {t("settings.shortcutsShow")}
    </button>
  );
}
