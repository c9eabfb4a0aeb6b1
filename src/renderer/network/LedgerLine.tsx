import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { LedgerRow } from "../../shared/network.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { bytesOf } from "./ledger-bytes.ts";
import { outcomeWords, placeWords, purposeWords } from "./ledger-words.ts";
import styles from "./NetworkTab.module.css";

const HTTPS = 443;

/** One connection: when, for what, to whom, how much, and how it went. An answer's leads to what was sent. */
export function LedgerLine({ row }: { row: LedgerRow }) {
  const { t, i18n } = useTranslation();
  const { layout } = useAssistant();
  const { at, purpose, host, port, address, place, model, bodyOut, bodyIn, status, outcome, error, turnId } = row;
  const chat = useStore(useAssistant().chats.store, (state) => state.chats[row.chatId ?? ""]);
  const size = (bytes: number) => bytesOf(bytes, i18n.language);
  const when = new Intl.DateTimeFormat(i18n.language, { dateStyle: "short", timeStyle: "medium" }).format(at);
  const whom = [address ?? "", t(placeWords[place]), model ?? "", chat?.title ?? ""];
  const went = [
    t("network.bytes", { out: size(bodyOut), in: size(bodyIn) }),
    ...(status === undefined ? [] : [t("network.status", { status })]),
  ];
  return (
    <li className={styles.row} data-outcome={outcome} data-place={place}>
      <span className={styles.line}>
        <b>{visibleText(port === HTTPS ? host : `${host}:${port}`)}</b>
        <span>{t(purposeWords[purpose])}</span>
        <time dateTime={new Date(at).toISOString()}>{when}</time>
      </span>
      <small className={styles.facts}>{visibleText(whom.filter((fact) => fact !== "").join(" · "))}</small>
      <span className={styles.line}>
        <small>{went.join(" · ")}</small>
        <small className={styles.outcome}>
          {t(outcomeWords[outcome])}
          {error !== undefined && `: ${t(`problems.${error}`)}`}
        </small>
        {turnId !== undefined && purpose === "answer" && (
          <button type="button" className={`ghost ${styles.toAnswer}`} onClick={() => layout.showSent(turnId)}>
            {t("network.toAnswer")}
          </button>
        )}
      </span>
    </li>
  );
}
