import { CloudOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ToolCallPart } from "../../shared/message.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { absolutePath } from "../lib/file-path.ts";
import styles from "./ToolCard.module.css";

/** The whole path of the file that a call read; undefined: it read none. */
export function useReadFile({ name, input }: ToolCallPart): string | undefined {
  const { settings } = useAssistant();
  const workspace = useStore(settings.store, (state) => state.settings.workspace ?? state.hello.folders.workspace);
  if (name !== "read_file" || typeof input !== "object" || input === null || !("path" in input)) return undefined;
  const { path } = input;
  return typeof path === "string" && !path.startsWith("result:") ? absolutePath(workspace, path) : undefined;
}

/** Whether a file is marked never to go to the cloud. */
export function useIsMarked(file: string | undefined): boolean {
  const { cloud } = useAssistant();
  return useStore(cloud.store, ({ marks }) => marks.some(({ kind, ref }) => kind === "file" && ref === file));
}

/** Marks a file never to go to the cloud, or takes the mark away. */
export function FileMark({ file }: { file: string }) {
  const { t } = useTranslation();
  const { cloud } = useAssistant();
  const isMarked = useIsMarked(file);
  return (
    <div className={styles.mark}>
      <button
        type="button"
        aria-pressed={isMarked}
        onClick={() => void cloud.setMark({ kind: "file", ref: file }, !isMarked)}
      >
        <CloudOff size={14} aria-hidden />
        {t("cloud.never")}
      </button>
      {isMarked && <small>{t("cloud.neverFile")}</small>}
    </div>
  );
}
