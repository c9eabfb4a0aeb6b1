import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { LedgerTotals } from "../../shared/network.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import { createNetwork, type Network } from "../stores/network.ts";
import { LedgerLine } from "./LedgerLine.tsx";
import { LocalModeSwitch } from "./LocalModeSwitch.tsx";
import { bytesOf } from "./ledger-bytes.ts";
import { placeWords } from "./ledger-words.ts";
import styles from "./NetworkTab.module.css";

type Whose = "chat" | "all";

/** What left this computer, and what was refused; and the switch that shuts the door. */
export function NetworkTab({ chat }: { chat: Chat }) {
  const { t } = useTranslation();
  const isPrivate = useStore(chat.store, (state) => state.chat?.private ?? false);
  const [whose, setWhose] = useState<Whose>("all");
  return (
    <div className={styles.network}>
      <LocalModeSwitch />
      <label className={styles.whose}>
        {t("network.whose")}
        <select value={whose} onChange={({ target }) => setWhose(target.value as Whose)}>
          <option value="all">{t("network.ofAll")}</option>
          <option value="chat">{t("network.ofChat")}</option>
        </select>
      </label>
      {isPrivate && whose === "all" && <p className={styles.help}>{t("network.notPrivate")}</p>}
      <Ledger key={whose} chatId={whose === "chat" ? chat.id : undefined} />
    </div>
  );
}

/** The ledger, read while it is looked at. */
function useNetwork(chatId: string | undefined): Network {
  const { host, chats } = useAssistant();
  const network = useMemo(() => {
    const isPrivate = (id: string) => chats.store.getState().chats[id]?.private ?? false;
    return createNetwork(host, chatId, (row) =>
      chatId === undefined ? row.chatId === undefined || !isPrivate(row.chatId) : row.chatId === chatId,
    );
  }, [host, chats, chatId]);
  useEffect(() => network.dispose, [network]);
  return network;
}

function Ledger({ chatId }: { chatId: string | undefined }) {
  const { t } = useTranslation();
  const network = useNetwork(chatId);
  const { status, rows, hasMore, totals, problem } = useStore(network.store);
  return (
    <>
      {problem && (
        <div role="alert" className={styles.problem}>
          <b>{t(`problems.${problem.code}`)}.</b> <span lang="en">{visibleText(problem.message)}</span>
          <button type="button" onClick={() => void network.read()}>
            {t("network.tryAgain")}
          </button>
        </div>
      )}
      {status === "reading" && !problem && <p role="status">{t("network.reading")}</p>}
      {status === "ready" && rows.length === 0 && <Nothing />}
      {totals && totals.connections + totals.refused > 0 && <Totals totals={totals} />}
      {rows.length > 0 && (
        <ol className={styles.rows} aria-label={t("network.rows")}>
          {rows.map((row) => (
            <LedgerLine key={row.id} row={row} />
          ))}
        </ol>
      )}
      {hasMore && (
        <button type="button" className={styles.earlier} onClick={() => void network.readEarlier()}>
          {t("network.earlier")}
        </button>
      )}
    </>
  );
}

function Nothing() {
  const { t } = useTranslation();
  return (
    <p className={styles.help}>
      {t("network.nothingYet")} {t("network.about")}
    </p>
  );
}

/** All of it in a line, and by whom it went to. */
function Totals({ totals }: { totals: LedgerTotals }) {
  const { t, i18n } = useTranslation();
  const size = (bytes: number) => bytesOf(bytes, i18n.language);
  const facts = [
    t("network.total", { count: totals.connections }),
    t("network.totalBytes", { out: size(totals.bodyOut), in: size(totals.bodyIn) }),
    ...(totals.refused > 0 ? [t("network.totalRefused", { count: totals.refused })] : []),
  ];
  return (
    <details className={styles.totals}>
      <summary>{facts.join(" · ")}</summary>
      <table>
        <caption className="unseen">{t("network.byHost")}</caption>
        <tbody>
          {totals.byHost.map(({ host, place, connections, bodyOut, bodyIn }) => (
            <tr key={`${host} ${place}`}>
              <th scope="row">
                {visibleText(host)}
                <small>{t(placeWords[place])}</small>
              </th>
              <td>{t("network.total", { count: connections })}</td>
              <td>{t("network.totalBytes", { out: size(bodyOut), in: size(bodyIn) })}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
