import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { looksLikeKey } from "../../shared/keys.ts";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./Composer.module.css";
import { type Composer, textIn } from "./composer.ts";

/** What looks like the key of an account does not belong into a chat; there is a place for it. */
export function KeyWarning({ composer }: { composer: Composer }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  const isKey = useStore(composer.store, (state) => looksLikeKey(textIn(state)));
  if (!isKey) return null;
  return (
    <div role="status" className={styles.repaired}>
      <span>{t("cloud.keyInBox")}</span>
      <button type="button" onClick={() => layout.show("cloud")}>
        {t("cloud.keyBelongs")}
      </button>
    </div>
  );
}
