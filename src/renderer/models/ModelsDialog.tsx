import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";
import { OverlayDialog } from "../shell/OverlayDialog.tsx";
import { EngineLine } from "./EngineLine.tsx";
import { HubSearch } from "./HubSearch.tsx";
import styles from "./ModelsDialog.module.css";
import { ModelTiles } from "./ModelTiles.tsx";

/** The overlay "models": choose the default, get more, use a file. */
export function ModelsDialog() {
  const { t } = useTranslation();
  return (
    <OverlayDialog title={t("models.title")}>
      <Models />
    </OverlayDialog>
  );
}

function Models() {
  const { models } = useAssistant();
  const { t } = useTranslation();
  useEffect(() => models.clearProblem, [models]); // what went wrong here is no news when it is opened again
  return (
    <div className={styles.models}>
      <p className={styles.about}>{t("models.about")}</p>
      <EngineLine />
      <ModelTiles />
      <HubSearch />
    </div>
  );
}
