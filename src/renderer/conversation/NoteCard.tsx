import type { ReactNode } from "react";
import styles from "./NoteCard.module.css";

interface NoteCardProps {
  readonly tone: "calm" | "warn" | "danger";
  readonly title: string;
  readonly text: string;
  /** The text is in the words of the part that failed. */
  readonly isQuoted?: boolean;
  readonly children: ReactNode;
}

/** Something that needs a person's eye: what it is, and what can be done. */
export function NoteCard({ tone, title, text, isQuoted, children }: NoteCardProps) {
  return (
    <section className={styles.card} data-tone={tone}>
      <h3 className={styles.title}>{title}</h3>
      {text !== "" && (
        <p className={styles.text} {...(isQuoted && { lang: "en" })}>
          {text}
        </p>
      )}
      <div className={styles.row}>{children}</div>
    </section>
  );
}
