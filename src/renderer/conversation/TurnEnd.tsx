import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { WireError } from "../../shared/errors.ts";
import type { StopReason } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import { isBusy } from "../stores/chat-state.ts";
import type { Composer } from "./composer.ts";
import { NoteCard } from "./NoteCard.tsx";
import { RecoveryCard } from "./RecoveryCard.tsx";
import styles from "./Turn.module.css";
import { type NextStep, nextSteps, problemOf, questionOf } from "./turn-facts.ts";

interface EndProps {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly view: TurnView;
}

/** Ends that are no failure and yet no plain answer. */
const quietEnds = {
  aborted: "conversation.stopped",
  max_iterations: "conversation.maxIterations",
  empty: "conversation.empty",
  tool_error: "conversation.toolError",
  needs_user: "conversation.needsUser",
  interrupted: "care.settled",
} as const satisfies Partial<Record<StopReason, string>>;

/** How a turn ended, where that has to be said: with a word, or with a card and a way on. */
export function TurnEnd({ chat, composer, view }: EndProps) {
  const { t } = useTranslation();
  const { recovery } = view.turn;
  if (recovery) return <RecoveryCard chat={chat} view={view} recovery={recovery} />;
  const problem = problemOf(view);
  if (problem) return <ProblemCard chat={chat} composer={composer} view={view} problem={problem} />;
  const reason = view.turn.stopReason;
  if (!reason || !Object.hasOwn(quietEnds, reason)) return null;
  return <p className={styles.notice}>{t(quietEnds[reason as keyof typeof quietEnds])}</p>;
}

const stepWords = {
  again: "conversation.tryAgain",
  models: "conversation.chooseModel",
  cloud: "cloud.setUp",
  new: "conversation.newChat",
  shorten: "conversation.shorten",
} as const satisfies Record<NextStep, string>;

function ProblemCard({ chat, composer, view, problem }: EndProps & { problem: WireError }) {
  const { t } = useTranslation();
  const { chats, layout } = useAssistant();
  const isIdle = !useStore(chat.store, isBusy);
  const { id } = view.turn;
  const question = questionOf(view);
  const steps: Readonly<Record<NextStep, () => void>> = {
    again: () => void composer.again(id, question),
    models: () => layout.show("models"),
    cloud: () => layout.show("cloud"),
    new: () => void chats.create(),
    shorten: () => composer.edit(id, question),
  };
  return (
    <NoteCard tone="danger" title={t(`problems.${problem.code}`)} text={visibleText(problem.message)} isQuoted>
      {isIdle &&
        nextSteps[problem.code].map((step, index) => (
          <button key={step} type="button" className={index === 0 ? "primary" : undefined} onClick={steps[step]}>
            {t(stepWords[step])}
          </button>
        ))}
    </NoteCard>
  );
}
