import { ChevronLeft, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { TurnView } from "../../shared/views.ts";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import { isBusy } from "../stores/chat-state.ts";
import { Badge } from "./Badge.tsx";
import { CopyButton } from "./CopyButton.tsx";
import type { Composer } from "./composer.ts";
import { durationOf } from "./durations.ts";
import styles from "./Turn.module.css";
import { answerOf, questionOf, tokensPerSecond } from "./turn-facts.ts";

interface FooterProps {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly view: TurnView;
}

/** Under an answer: where it was made, how fast, and what can be done with it. */
export function AnswerFooter({ chat, composer, view }: FooterProps) {
  const { t } = useTranslation();
  const isUndecided = view.turn.recovery !== undefined && view.turn.recovery !== "undelivered"; // its card comes first
  const isIdle = !useStore(chat.store, isBusy) && !isUndecided;
  const question = questionOf(view);
  const hasAnswer = answerOf(view) !== "";
  return (
    <footer className={styles.footer}>
      <Figures view={view} />
      <span className={styles.actions}>
        {hasAnswer && <CopyButton text={() => visibleText(answerOf(view))} />}
        {isIdle && (
          <>
            <button
              type="button"
              className={`ghost ${styles.action}`}
              onClick={() => void composer.again(view.turn.id, question)}
            >
              {t("conversation.tryAgain")}
            </button>
            <button
              type="button"
              className={`ghost ${styles.action}`}
              onClick={() => composer.edit(view.turn.id, question)}
            >
              {t("conversation.editQuestion")}
            </button>
            <Variants chat={chat} view={view} />
          </>
        )}
      </span>
    </footer>
  );
}

/** The badge, and model · tokens/s · time. */
function Figures({ view }: { view: TurnView }) {
  const { t, i18n } = useTranslation();
  const model = view.requests.at(-1)?.model;
  if (!model) return null;
  const { startedAt, endedAt } = view.turn;
  const rate = tokensPerSecond(view);
  const duration = endedAt === undefined ? undefined : durationOf(endedAt - startedAt, i18n.language);
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: rate && rate < 10 ? 1 : 0 });
  const facts = [
    visibleText(model.name),
    rate === undefined ? "" : t("conversation.tokensPerSecond", { value: number.format(rate) }),
    duration ? t(duration.key, { value: duration.value }) : "",
  ];
  const when = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "short" });
  return (
    <>
      <Badge view={view} />
      <span title={when.format(startedAt)}>{facts.filter((fact) => fact !== "").join(" · ")}</span>
    </>
  );
}

/** ‹1/2›: the other ways this place of the conversation was asked. */
function Variants({ chat, view }: { chat: Chat; view: TurnView }) {
  const { t } = useTranslation();
  const { variants, turn } = view;
  const at = variants.indexOf(turn.id);
  if (variants.length < 2) return null;
  const show = (index: number) => {
    const id = variants[index];
    if (id) void chat.showVariant(id);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <span role="group" aria-label={t("conversation.variants")} className={styles.variants}>
      <button
        type="button"
        className={`ghost ${styles.turnPage}`}
        aria-label={t("conversation.previousVariant")}
        disabled={at <= 0}
        onClick={() => show(at - 1)}
      >
        <ChevronLeft size={14} aria-hidden />
      </button>
      <span aria-hidden>
        {at + 1}/{variants.length}
      </span>
      <span className="unseen">{t("conversation.variantOf", { place: at + 1, count: variants.length })}</span>
      <button
        type="button"
        className={`ghost ${styles.turnPage}`}
        aria-label={t("conversation.nextVariant")}
        disabled={at >= variants.length - 1}
        onClick={() => show(at + 1)}
      >
        <ChevronRight size={14} aria-hidden />
      </button>
    </span>
  );
}
