import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Decision, Recovery, ToolCallRecord } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import { visibleText } from "../lib/plain-text.ts";
import { focusComposer } from "../shell/places.ts";
import type { Chat } from "../stores/chat.ts";
import { NoteCard } from "./NoteCard.tsx";
import styles from "./RecoveryCard.module.css";
import { callOf, mainArgument, openCalls } from "./turn-facts.ts";

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
  const [isBusy, setBusy] = useState(false);
  const { id } = view.turn;

  /** One decision at a time; the card goes with the events that follow it, and the focus must not go with it. */
  async function decide(work: () => Promise<boolean>): Promise<void> {
    setBusy(true);
    if (await work()) focusComposer();
    setBusy(false);
  }

  const { done, unknown, notStarted } = openCalls(view);
  return (
    <NoteCard tone={recovery === "undelivered" ? "calm" : "warn"} title={t(titles[recovery])} text={t(texts[recovery])}>
      {recovery !== "undelivered" && <Names word="care.done" calls={done} />}
      {recovery !== "undelivered" && <Names word="care.notStarted" calls={notStarted} />}
      {unknown.map((call) => (
        <UnknownCall
          key={call.id}
          view={view}
          call={call}
          isDisabled={isBusy}
          onDecide={(decision) => void decide(() => chat.decideCall(id, call.id, decision))}
        />
      ))}
      {recovery === "interrupted" && (
        <button
          type="button"
          className="primary"
          disabled={isBusy}
          onClick={() => void decide(() => chat.continueTurn(id))}
        >
          {t("care.goOn")}
        </button>
      )}
      <button type="button" disabled={isBusy} onClick={() => void decide(() => chat.dismissTurn(id))}>
        {t(recovery === "undelivered" ? "care.seen" : "care.leave")}
      </button>
    </NoteCard>
  );
}

function Names({ word, calls }: { word: "care.done" | "care.notStarted"; calls: readonly ToolCallRecord[] }) {
  const { t } = useTranslation();
  if (calls.length === 0) return null;
  return <p className={styles.names}>{t(word, { names: calls.map(({ name }) => visibleText(name)).join(", ") })}</p>;
}

interface UnknownCallProps {
  readonly view: TurnView;
  readonly call: ToolCallRecord;
  readonly isDisabled: boolean;
  readonly onDecide: (decision: Decision) => void;
}

const decisions = [
  ["happened", "care.happened"],
  ["not-happened", "care.notHappened"],
  ["again", "care.again"],
] as const satisfies ReadonlyArray<[Decision, string]>;

/** One call that may or may not have happened: what it was, when it began, and the three things a person can say of it. */
function UnknownCall({ view, call, isDisabled, onDecide }: UnknownCallProps) {
  const { t, i18n } = useTranslation();
  const time = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "medium" });
  const argument = visibleText(mainArgument(callOf(view, call.id)?.input));
  return (
    <fieldset className={styles.call}>
      <legend>
        <b>{visibleText(call.name)}</b> <code>{argument}</code>{" "}
        {call.startedAt !== undefined && <small>{t("care.startedAt", { time: time.format(call.startedAt) })}</small>}
      </legend>
      {decisions.map(([decision, word]) => (
        <button key={decision} type="button" disabled={isDisabled} onClick={() => onDecide(decision)}>
          {t(word)}
        </button>
      ))}
    </fieldset>
  );
}
