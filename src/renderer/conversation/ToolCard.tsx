import { CloudOff, Wrench } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Message, ToolCallPart, ToolResultPart } from "../../shared/message.ts";
import type { ToolCallRecord, ToolCallState } from "../../shared/turn.ts";
import { visibleText } from "../lib/plain-text.ts";
import { durationOf } from "./durations.ts";
import { FileMark, useIsMarked, useReadFile } from "./FileMark.tsx";
import { PlainText } from "./markdown/PlainText.tsx";
import styles from "./ToolCard.module.css";
import { mainArgument } from "./turn-facts.ts";

const words = {
  requested: "conversation.toolRequested",
  approved: "conversation.toolApproved",
  denied: "conversation.toolDenied",
  running: "conversation.toolRunning",
  finished: "conversation.toolFinished",
  failed: "conversation.toolFailed",
  unknown: "conversation.toolUnknown",
  skipped: "conversation.toolSkipped",
} as const satisfies Record<ToolCallState, string>;

interface ToolCardProps {
  readonly part: ToolCallPart;
  readonly row: Message;
  readonly call: ToolCallRecord | undefined;
  readonly result: ToolResultPart | undefined;
}

/** A tool at work: its name, what it touches, how it went; arguments and result folded. All of it is text. */
export function ToolCard({ part, row, call, result }: ToolCardProps) {
  const { t, i18n } = useTranslation();
  const file = useReadFile(part);
  const isMarked = useIsMarked(file);
  const state = call?.state ?? (result ? (result.failed ? "failed" : "finished") : "unknown");
  const { startedAt, endedAt } = call ?? {};
  const isTimed = startedAt !== undefined && endedAt !== undefined && state !== "unknown"; // that is the next start
  const duration = isTimed ? durationOf(endedAt - startedAt, i18n.language) : undefined;
  const facts = [
    row.origin === "named" ? t("conversation.toolNamed") : "",
    visibleText(call?.summary ?? ""),
    duration ? t(duration.key, { value: duration.value }) : "",
  ].filter((fact) => fact !== "");
  return (
    <details className={styles.tool}>
      <summary className={styles.head}>
        <Wrench size={14} aria-hidden className={styles.icon} />
        <b>{visibleText(part.name)}</b>
        <code className={styles.argument}>{visibleText(mainArgument(part.input))}</code>
        <span className={styles.space} />
        {isMarked && (
          <small className={styles.marked}>
            <CloudOff size={12} aria-hidden /> {t("cloud.isNever")}
          </small>
        )}
        <small>{facts.join(" · ")}</small>
        <span className={styles.state} data-state={state}>
          {t(words[state])}
        </span>
      </summary>
      {file !== undefined && <FileMark file={file} />}
      <h3 className={styles.label}>{t("conversation.toolArguments")}</h3>
      <PlainText text={JSON.stringify(part.input, null, 2) ?? ""} className={styles.text} />
      {result && <h3 className={styles.label}>{t("conversation.toolResult")}</h3>}
      {result && <PlainText text={result.text} className={styles.text} />}
    </details>
  );
}
