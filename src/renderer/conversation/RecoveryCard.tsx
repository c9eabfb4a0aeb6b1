import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Decision, Recovery, ToolCallRecord } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import { NoteCard } from "./NoteCard.tsx";
import styles from "./RecoveryCard.module.css";
import { callOf, mainArgument, namesOf, openCalls } from "./turn-facts.ts";
import { useKeptFocus } from "./use-kept-focus.ts";

interface RecoveryCardProps {
  readonly chat: Chat;
  readonly view: TurnView;
  readonly recovery: Recovery;
}

const titles = {
  interrupted: "care.interrupted",
  unknown: "care.unknown",
  undelivered: "care.undelivered",
} as const satisfies Record<Recovery, string>;

const texts = {
  interrupted: "care.interruptedText",
  unknown: "care.unknownText",
  undelivered: "care.undeliveredText",
} as const satisfies Record<Recovery, string>;

/** What a crash left of a turn, at its place: what is done, what is not, and the person's decision. */
export function RecoveryCard({ chat, view, recovery }: RecoveryCardProps) {
  const { t } = useTranslation();
  const { isBusy, decide } = useDecision();
  const box = useRef<HTMLDivElement>(null);
  const { done, unknown, notStarted } = openCalls(view);
  useKeptFocus(box, unknown.length);
  const { id } = view.turn;
  const isQuiet = recovery === "undelivered";
  return (
    <NoteCard tone={isQuiet ? "calm" : "warn"} title={t(titles[recovery])} text={t(texts[recovery])}>
      <div ref={box} className={styles.decision}>
        {!isQuiet && <Names word="care.done" calls={done} />}
        {!isQuiet && <Names word="care.notStarted" calls={notStarted} />}
        {unknown.map((call) => (
          <UnknownCall
            key={call.id}
            view={view}
            call={call}
            isBusy={isBusy}
            onDecide={(decision) => decide(() => chat.decideCall(id, call.id, decision))}
          />
        ))}
        {recovery === "interrupted" && (
          <button
            type="button"
            className="primary"
            aria-disabled={isBusy}
            onClick={() => decide(() => chat.continueTurn(id))}
          >
            {t("care.goOn")}
          </button>
        )}
        <button type="button" aria-disabled={isBusy} onClick={() => decide(() => chat.dismissTurn(id))}>
          {t(isQuiet ? "care.seen" : "care.leave")}
        </button>
      </div>
    </NoteCard>
  );
}

/** One decision at a time. The buttons keep the focus meanwhile; the card goes with the events that follow. */
function useDecision() {
  const [isBusy, setBusy] = useState(false);
  async function decideNow(work: () => Promise<boolean>): Promise<void> {
    setBusy(true);
    await work();
    setBusy(false);
  }
  return { isBusy, decide: (work: () => Promise<boolean>) => void (isBusy || decideNow(work)) };
}

function Names({ word, calls }: { word: "care.done" | "care.notStarted"; calls: readonly ToolCallRecord[] }) {
  const { t } = useTranslation();
  if (calls.length === 0) return null;
  return <p className={styles.names}>{t(word, { names: visibleText(namesOf(calls)) })}</p>;
}

interface UnknownCallProps {
  readonly view: TurnView;
  readonly call: ToolCallRecord;
  readonly isBusy: boolean;
  readonly onDecide: (decision: Decision) => void;
}

const decisions = [
  ["happened", "care.happened"],
  ["not-happened", "care.notHappened"],
  ["again", "care.again"],
] as const satisfies ReadonlyArray<[Decision, string]>;

/** One call that may or may not have happened: what it was, when it began, and the three things a person can say of it. */
function UnknownCall({ view, call, isBusy, onDecide }: UnknownCallProps) {
  const { t, i18n } = useTranslation();
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "medium" });
  const argument = visibleText(mainArgument(callOf(view, call.id)?.input));
  return (
    <fieldset className={styles.call}>
      <legend>
        <b>{visibleText(call.name)}</b> {argument !== "" && <code>{argument}</code>}{" "}
        {call.startedAt !== undefined && <small>{t("care.startedAt", { time: time.format(call.startedAt) })}</small>}
      </legend>
      {decisions.map(([decision, word]) => (
        <button key={decision} type="button" aria-disabled={isBusy} onClick={() => onDecide(decision)}>
          {t(word)}
        </button>
      ))}
    </fieldset>
  );
}
