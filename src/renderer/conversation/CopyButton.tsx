import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { toasts } from "../lib/toasts.ts";
import styles from "./Turn.module.css";

const SAID_MS = 1_500;

/** Puts a text on the clipboard and says so for a moment. */
export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation();
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return;
    const timer = setTimeout(() => setDone(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isDone]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setDone(true),
      () => toasts.add({ title: t("conversation.copyFailed") }),
    );
  return (
    <button type="button" className={`ghost ${styles.action}`} onClick={() => void copy()}>
      {isDone ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      {isDone ? t("conversation.copied") : t("conversation.copy")}
    </button>
  );
}
