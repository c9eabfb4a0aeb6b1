import { Copy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { toasts } from "../lib/toasts.ts";
import styles from "./SettingsDialog.module.css";

export const DataFolder = () => <FolderField folder="data" />;
export const ModelsFolder = () => <FolderField folder="models" />;

/** Where something lies. It can be copied, and shown where there is a desktop to show it on. */
function FolderField({ folder }: { folder: "data" | "models" }) {
  const { t } = useTranslation();
  const { host, settings } = useAssistant();
  const path = useStore(settings.store, (state) => state.hello.folders[folder]);
  const isWindow = useStore(settings.store, (state) => state.hello.shell === "window");
  const copy = () =>
    navigator.clipboard.writeText(path).then(
      () => toasts.add({ title: t("settings.copied") }),
      () => toasts.add({ title: t("settings.notCopied") }),
    );
  return (
    <div className={styles.folder}>
      <code>{path}</code>
      <button type="button" className={styles.icon} aria-label={t("settings.copyPath")} onClick={copy}>
        <Copy size={14} aria-hidden="true" />
      </button>
      {isWindow && (
        <button type="button" onClick={() => void host.call("shell.showFolder", { folder })}>
          {t("settings.show")}
        </button>
      )}
    </div>
  );
}
