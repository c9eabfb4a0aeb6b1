import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./SettingsDialog.module.css";
import { useNamed } from "./setting-context.ts";

/** The folder the assistant may read: picked where there is a dialog for it, written where there is none. */
export function WorkspaceField() {
  const { t } = useTranslation();
  const { host, settings } = useAssistant();
  const path = useStore(settings.store, (state) => state.settings.workspace ?? state.hello.folders.workspace);
  const [isTyped, setTyped] = useState(settings.store.getState().hello.shell === "browser");
  async function pick(): Promise<void> {
    const picked = await host.call("shell.pickFile", { kind: "folder" });
    if (picked.path !== null) await settings.change({ workspace: picked.path });
    else if (!picked.supported) setTyped(true);
  }
  if (isTyped) return <TypedFolder key={path} path={path} />;
  return (
    <div className={styles.folder}>
      <code>{path}</code>
      <button type="button" aria-describedby={useNamed()["aria-labelledby"]} onClick={pick}>
        {t("settings.choose")}
      </button>
    </div>
  );
}

function TypedFolder({ path }: { path: string }) {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const [typed, setTyped] = useState(path);
  function use(event: FormEvent): void {
    event.preventDefault();
    void settings.change({ workspace: typed.trim() });
  }
  return (
    <div className={styles.folder}>
      <form onSubmit={use}>
        <input
          className={styles.input}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
          {...useNamed()}
        />
        <button type="submit" disabled={typed.trim() === "" || typed.trim() === path}>
          {t("settings.workspaceUse")}
        </button>
      </form>
    </div>
  );
}
