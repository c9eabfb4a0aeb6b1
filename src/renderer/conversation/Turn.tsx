import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { TurnView } from "../../shared/views.ts";
import { TraceStrip } from "../inspector/TraceStrip.tsx";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import { Answer } from "./Answer.tsx";
import { AnswerFooter } from "./AnswerFooter.tsx";
import type { Composer } from "./composer.ts";
import { PlainText } from "./markdown/PlainText.tsx";
import { Progress } from "./Progress.tsx";
import { Question } from "./Question.tsx";
import styles from "./Turn.module.css";
import { TurnEnd } from "./TurnEnd.tsx";
import { answerOf, questionOf } from "./turn-facts.ts";

interface TurnProps {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly id: string;
  /** It was looked for: it is pointed out once. */
  readonly isFlashing: boolean;
}

/** A question and its answer. It watches its own turn, so a token draws one turn again. */
export const Turn = memo(function Turn({ chat, composer, id, isFlashing }: TurnProps) {
  const view = useStore(chat.store, (state) => state.turns[id]);
  if (!view) return null;
  const look = isFlashing ? `${styles.turn} ${styles.flashing}` : styles.turn;
  return (
    <article className={look} data-turn={id}>
      <Question text={questionOf(view)} />
      {view.turn.stopReason === "command" ? (
        <CommandNote view={view} />
      ) : (
        <WholeAnswer chat={chat} composer={composer} view={view} />
      )}
    </article>
  );
});

function WholeAnswer({ chat, composer, view }: { chat: Chat; composer: Composer; view: TurnView }) {
  const { t } = useTranslation();
  const isDone = view.turn.state === "done";
  return (
    <div className={styles.lares} aria-busy={!isDone}>
      <h2 className="unseen">{t("conversation.lares")}</h2>
      <TraceStrip view={view} />
      <Answer view={view} />
      {!isDone && <Progress chat={chat} view={view} />}
      <Notices view={view} />
      {isDone && <TurnEnd chat={chat} composer={composer} view={view} />}
      {isDone && <AnswerFooter chat={chat} composer={composer} view={view} />}
    </div>
  );
}

function Notices({ view }: { view: TurnView }) {
  return view.notices.map(({ code, text }) => (
    <p key={`${code} ${text}`} className={styles.notice}>
      {visibleText(text)}
    </p>
  ));
}

/** A slash command and what it said: quieter than a conversation. */
function CommandNote({ view }: { view: TurnView }) {
  return <PlainText text={answerOf(view)} className={styles.command} />;
}
