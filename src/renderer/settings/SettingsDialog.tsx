import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { OverlayDialog } from "../shell/OverlayDialog.tsx";
import styles from "./SettingsDialog.module.css";
import { SettingContext } from "./setting-context.ts";
import { findSettings, type Setting } from "./settings-table.ts";

/** All settings on one page, with a search. Each change applies at once. */
export function SettingsDialog() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  const problem = useStore(settings.store, (state) => state.problem);
  const version = useStore(settings.store, (state) => state.hello.version);
  const found = findSettings(query.trim());
  const sections = [...new Set(found.map(({ section }) => section))];
  return (
    <OverlayDialog title={t("settings.settings")} initialFocus={field}>
      <search className={styles.search}>
        <input
          ref={field}
          type="search"
          value={query}
          placeholder={t("settings.search")}
          aria-label={t("settings.search")}
          onChange={(event) => setQuery(event.target.value)}
        />
      </search>
      {problem && (
        <p className={styles.problem} role="alert">
          {t(`problems.${problem.code}`)}: {problem.message}
        </p>
      )}
      <div className={styles.body}>
        {sections.map((section) => (
          <section key={section}>
            <h3>{t(`settings.${section}`)}</h3>
            {found.map((setting) => setting.section === section && <Row key={setting.id} setting={setting} />)}
          </section>
        ))}
        {found.length === 0 && <p className={styles.none}>{t("settings.none")}</p>}
        <footer className={styles.version}>{t("settings.version", { version })}</footer>
      </div>
    </OverlayDialog>
  );
}

/** What it is called, what it does, and what sets it; the control finds its name and help by the context. */
function Row({ setting: { id, Control } }: { setting: Setting }) {
  const { t } = useTranslation();
  const [field, label, help] = [useId(), useId(), useId()];
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <label id={label} htmlFor={field} className={styles.label}>
          {t(`settings.${id}`)}
        </label>
        <div id={help} className={styles.help}>
          {t(`settings.${id}Help`)}
        </div>
      </div>
      <div className={styles.control}>
        <SettingContext value={{ id: field, "aria-labelledby": label, "aria-describedby": help }}>
          <Control />
        </SettingContext>
      </div>
    </div>
  );
}
