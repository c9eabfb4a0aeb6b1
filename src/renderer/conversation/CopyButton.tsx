import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { toasts } from "../lib/toasts.ts";
import styles from "./Turn.module.css";

const SAID_MS = 1_500;

/** Puts a text on the clipboard and says so for a moment. A text that is long to make is made when it is needed. */
export function CopyButton({ text }: { text: string | (() => string) }) {
  const { t } = useTranslation();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = () =>
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setDone(true),
      () => toasts.add({ title: t("conversation.copyFailed") }),
    );
  return (
    <button type="button" className={`ghost ${styles.action}`} onClick={() => void copy()}>
      {isDone ? t("conversation.copied") : t("conversation.copy")}
    </button>
  );
}
