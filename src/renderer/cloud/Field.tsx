import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import type { WireError } from "../../shared/errors.ts";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./Cloud.module.css";

/** What ties a control to its name, its help and what is wrong with it. */
export interface Tied {
  readonly id: string;
  readonly "aria-describedby": string;
  readonly "aria-invalid": boolean;
}

interface FieldProps {
  readonly label: string;
  readonly help?: string | undefined;
  /** What is wrong with what is in it. */
  readonly wrong?: string | undefined;
  readonly children: (tied: Tied) => ReactNode;
}

/** A control with its name above it, and below it what it is for, or what is wrong with it. */
export function Field({ label, help, wrong, children }: FieldProps) {
  const [id, below] = [useId(), useId()];
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": below, "aria-invalid": wrong !== undefined })}
      <small id={below} className={wrong === undefined ? undefined : styles.wrong}>
        {wrong ?? help}
      </small>
    </div>
  );
}

/** Why something could not be done: what it means, and in the words of the other side. */
export function Problem({ problem }: { problem: Pick<WireError, "code" | "message"> | null }) {
  const { t } = useTranslation();
  if (!problem) return null;
  return (
    <p role="alert" className={styles.problem}>
      <b>{t(`problems.${problem.code}`)}.</b> <span lang="en">{visibleText(problem.message)}</span>
    </p>
  );
}
