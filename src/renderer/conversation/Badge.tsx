import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { TurnView } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { bytesOf } from "../network/ledger-bytes.ts";
import { type Journey, journeysOf } from "./journeys.ts";
import styles from "./Turn.module.css";

/** Whether an answer stayed on this computer, or what of the chat went where; it leads to what exactly was sent. */
export function Badge({ view }: { view: TurnView }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  const journeys = journeysOf(view.requests);
  const look = (journey: Journey | undefined) => styles[journey?.place ?? "this-computer"];
  const say = useJourneyWords();
  return (
    <button
      type="button"
      className={`ghost ${styles.badge} ${look(journeys[0])}`}
      title={t("trace.sent")}
      onClick={() => layout.showSent(view.turn.id)}
    >
      {journeys.length === 0 ? t("network.stayed") : journeys.map(say).join(" · ")}
    </button>
  );
}

/** A journey in words: to whom, and what. */
function useJourneyWords(): (journey: Journey) => string {
  const { t, i18n } = useTranslation();
  const connections = useStore(useAssistant().cloud.store, (state) => state.overview.connections);
  return ({ host, place, messages, documents, bodyOut }) => {
    if (place === "this-computer") return t("network.answeredHere", { host });
    const there = connections.filter(({ baseUrl }) => hostOf(baseUrl) === host);
    const [name] = there.length === 1 ? there.map((one) => visibleText(one.name)) : []; // of two it is not known which
    const who = name === undefined ? host : t("network.whoAt", { name, host });
    const what = [
      t("network.messages", { count: messages }),
      ...(documents > 0 ? [t("network.documents", { count: documents })] : []),
      bytesOf(bodyOut, i18n.language),
    ].join(i18n.language === "zh-CN" ? "，" : ", ");
    return t(place === "cloud" ? "network.sentTo" : "network.sentNear", { who, what });
  };
}

/** As the ledger writes it. */
const hostOf = (address: string): string => new URL(address).hostname.replace(/^\[|\]$/g, "");
