import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { RetryWait } from "../../shared/network.ts";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import styles from "./Turn.module.css";

const TICK_MS = 250;

/** The wait before the next try: why, how long still, and the ways out of it. */
export function RetryLine({ chat, wait }: { chat: Chat; wait: RetryWait }) {
  const { t } = useTranslation();
  return (
    <div className={styles.progress}>
      <span>{t(`problems.${wait.code}`)}</span>
      {wait.fallback === undefined ? (
        <Countdown wait={wait} />
      ) : (
        <span>{t("conversation.askingInstead", { name: visibleText(wait.fallback) })}</span>
      )}
      {wait.fallback === undefined && (
        <button type="button" onClick={() => void chat.retryNow()}>
          {t("conversation.retryNow")}
        </button>
      )}
      <button type="button" className="ghost" onClick={() => void chat.stop()}>
        {t("conversation.retryStop")}
      </button>
    </div>
  );
}

function Countdown({ wait: { attempt, of, until } }: { wait: RetryWait }) {
  const { t } = useTranslation();
  const seconds = Math.max(0, Math.ceil((until - useNow()) / 1000));
  return <span>{t(seconds > 0 ? "conversation.retryIn" : "conversation.retrying", { seconds, attempt, of })}</span>;
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
