import { useTranslation } from "react-i18next";
import { durationOf } from "./durations.ts";
import { PlainText } from "./markdown/PlainText.tsx";
import styles from "./Turn.module.css";

interface ReasoningProps {
  readonly text: string;
  readonly ms: number | undefined;
  readonly isGrowing: boolean;
}

/** What the model thought before it spoke: folded, for those who want to see it. */
export function Reasoning({ text, ms, isGrowing }: ReasoningProps) {
  const { t, i18n } = useTranslation();
  const duration = ms === undefined ? undefined : durationOf(ms, i18n.language);
  const title = duration
    ? t("conversation.thought", { time: t(duration.key, { value: duration.value }) })
    : t("conversation.thoughts");
  return (
    <details className={styles.thoughts}>
      <summary>{isGrowing ? t("conversation.thinking") : title}</summary>
      <PlainText text={text.trim()} className={styles.thoughtText} />
    </details>
  );
}
