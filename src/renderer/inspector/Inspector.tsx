import { Tabs } from "@base-ui/react/tabs";
import { ChevronLeft, ChevronRight, X } from "lucide-react";
import { useStore } from "zustand";
import type { TurnView } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { NetworkTab } from "../network/NetworkTab.tsx";
import type { Chat } from "../stores/chat.ts";
import type { InspectorTab } from "../stores/layout.ts";
import { ExportButton } from "./ExportButton.tsx";
import styles from "./Inspector.module.css";
import { Timeline } from "./Timeline.tsx";
import { useTraceWords } from "./trace-words.ts";

/** The right column: how an answer came about, and what left this computer. */
export function Inspector({ chat }: { chat: Chat }) {
  const { layout } = useAssistant();
  const { t } = useTraceWords();
  const tab = useStore(layout.store, (state) => state.inspectorTab);
  const inspected = useStore(layout.store, (state) => state.inspected);
  const view = useStore(chat.store, ({ turns, order }) => turns[inspected ?? ""] ?? turns[order.at(-1) ?? ""]);
  return (
    <aside
      className={styles.inspector}
      aria-label={t("trace.inspector")}
      onKeyDown={({ key }) => key === "Escape" && layout.toggleInspector(false)}
    >
      <Tabs.Root className={styles.root} value={tab} onValueChange={(value: InspectorTab) => layout.showTab(value)}>
        <header className={styles.head}>
          <Tabs.List className={styles.tabs} aria-label={t("trace.inspector")}>
            <Tabs.Tab className={`ghost ${styles.tab}`} value="trace">
              {t("trace.title")}
            </Tabs.Tab>
            <Tabs.Tab className={`ghost ${styles.tab}`} value="network">
              {t("network.title")}
            </Tabs.Tab>
          </Tabs.List>
          {tab === "trace" ? <TurnPicker chat={chat} shown={view?.turn.id} /> : <span className={styles.picker} />}
          <button
            type="button"
            className="ghost"
            aria-label={t("trace.close")}
            onClick={() => layout.toggleInspector(false)}
          >
            <X size={15} aria-hidden />
          </button>
        </header>
        <Tabs.Panel className={styles.panel} value="trace">
          <Trace view={view} />
        </Tabs.Panel>
        <Tabs.Panel className={styles.panel} value="network">
          <NetworkTab chat={chat} />
        </Tabs.Panel>
      </Tabs.Root>
    </aside>
  );
}

/** How the answer came about that was chosen, or else the newest one. */
function Trace({ view }: { view: TurnView | undefined }) {
  const { layout } = useAssistant();
  const { t } = useTraceWords();
  if (!view) return <p className={styles.empty}>{t("trace.nothingYet")}</p>;
  return (
    <>
      <Timeline key={view.turn.id} view={view} />
      <footer className={styles.footer}>
        <button type="button" onClick={() => layout.showSent(view.turn.id)}>
          {t("trace.sent")}
        </button>
        <ExportButton view={view} />
      </footer>
    </>
  );
}

/** ‹ 2 of 5 ›: from answer to answer, along what is loaded of the shown branch. */
function TurnPicker({ chat, shown }: { chat: Chat; shown: string | undefined }) {
  const { layout } = useAssistant();
  const { t } = useTraceWords();
  const order = useStore(chat.store, (state) => state.order);
  const at = order.indexOf(shown ?? "");
  if (at === -1 || order.length < 2) return <span className={styles.picker} />;
  const before = order[at - 1];
  const after = order[at + 1];
  return (
    <span className={styles.picker}>
      <button
        type="button"
        className="ghost"
        aria-label={t("trace.previous")}
        disabled={!before}
        onClick={() => before && layout.inspect(before)}
      >
        <ChevronLeft size={15} aria-hidden />
      </button>
      <small>{t("trace.ofTurns", { count: at + 1, total: order.length })}</small>
      <button
        type="button"
        className="ghost"
        aria-label={t("trace.next")}
        disabled={!after}
        onClick={() => after && layout.inspect(after)}
      >
        <ChevronRight size={15} aria-hidden />
      </button>
    </span>
  );
}
