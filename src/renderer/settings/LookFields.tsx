import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Settings } from "../../shared/settings.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { Choice } from "./Choice.tsx";

/** The language of the window. Each is called by its own name, so that one finds it from any other. */
export function LanguageChoice() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const value = useStore(settings.store, (state) => state.settings.language);
  return (
    <Choice<Settings["language"]>
      value={value}
      options={[
        { value: "system", label: t("settings.asSystem") },
        { value: "en", label: t("settings.english"), lang: "en" },
        { value: "zh-CN", label: t("settings.chinese"), lang: "zh-CN" },
      ]}
      onChange={(language) => void settings.change({ language })}
    />
  );
}

/** Light, dark, or as the system. */
export function ThemeChoice() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const value = useStore(settings.store, (state) => state.settings.theme);
  return (
    <Choice<Settings["theme"]>
      value={value}
      options={[
        { value: "system", label: t("settings.asSystem") },
        { value: "light", label: t("settings.light") },
        { value: "dark", label: t("settings.dark") },
      ]}
      onChange={(theme) => void settings.change({ theme })}
    />
  );
}
