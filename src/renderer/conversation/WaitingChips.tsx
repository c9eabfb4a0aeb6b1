import { CornerUpLeft, ListEnd, Pencil, Send, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Inbound } from "../../shared/turn.ts";
import { visibleText } from "../lib/plain-text.ts";
import { focusComposer } from "../shell/places.ts";
import type { Chat } from "../stores/chat.ts";
import { undecidedTurn } from "../stores/chat-state.ts";
import styles from "./Composer.module.css";
import type { Composer } from "./composer.ts";

const SHOWN = 80;

/** Messages that wait for their turn, and those that a stop turned into drafts. */
export function WaitingChips({ chat, composer }: { chat: Chat; composer: Composer }) {
  const { t } = useTranslation();
  const waiting = useStore(chat.store, (state) => state.waiting);
  const sending = useStore(composer.store, (state) => state.sending);
  if (waiting.length === 0 && sending === null) return null;
  return (
    <ul className={styles.chips} aria-label={t("conversation.waiting")}>
      {waiting.map((inbound, at) => (
        <Chip
          key={inbound.id}
          chat={chat}
          composer={composer}
          inbound={inbound}
          mayJoin={!waiting.slice(0, at + 1).some(needsOwnTurn)}
        />
      ))}
      {sending !== null && (
        <li className={styles.chip}>
          <span className={styles.chipText}>{visibleText(sending.slice(0, SHOWN))}</span>
          <small>{t("conversation.sending")}</small>
        </li>
      )}
    </ul>
  );
}

interface ChipProps {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly inbound: Inbound;
  /** Nothing that needs a turn of its own stands before it. */
  readonly mayJoin: boolean;
}

function Chip({ chat, composer, inbound, mayJoin }: ChipProps) {
  const { t } = useTranslation();
  const { id, text, state, after } = inbound;
  const isUndecided = useStore(chat.store, (state) => undecidedTurn(state) !== undefined);
  const isDraft = state === "draft";
  const edit = async () => {
    if (await chat.dropWaiting(id)) composer.fill(text);
  };
  const drop = async () => {
    if (await chat.dropWaiting(id)) focusComposer();
  };
  return (
    <li className={styles.chip}>
      <span className={styles.chipText} title={visibleText(text.slice(0, 1_000))}>
        {visibleText(text.slice(0, SHOWN))}
      </span>
      <small>{t(isUndecided && !isDraft ? "care.behind" : stateWord(inbound, mayJoin))}</small>
      {!isDraft && !isUndecided && mayJoin && (
        <ChipButton
          name={t(after ? "care.joinNow" : "care.answerAfter")}
          onPress={() => void chat.setWhen(id, after ? "now" : "after")}
        >
          {after ? <CornerUpLeft size={14} aria-hidden /> : <ListEnd size={14} aria-hidden />}
        </ChipButton>
      )}
      {isDraft && (
        <ChipButton name={t("conversation.sendNow")} onPress={() => void composer.sendWaiting(id)}>
          <Send size={14} aria-hidden />
        </ChipButton>
      )}
      <ChipButton name={t("conversation.editWaiting")} onPress={() => void edit()}>
        <Pencil size={14} aria-hidden />
      </ChipButton>
      <ChipButton name={t("conversation.drop")} onPress={() => void drop()}>
        <X size={14} aria-hidden />
      </ChipButton>
    </li>
  );
}

/** A slash command, or a question that is asked again, never joins a running answer; what came after it waits behind it. */
const needsOwnTurn = ({ state, text, replaces }: Inbound): boolean =>
  state !== "draft" && (replaces !== undefined || /^\s*[/／][a-z]+(\s|$)/i.test(text));

function stateWord({ state, after }: Inbound, mayJoin: boolean) {
  if (state === "draft") return "conversation.keptDraft";
  return after || !mayJoin ? "conversation.queued" : "care.joins";
}

function ChipButton({ name, onPress, children }: { name: string; onPress: () => void; children: ReactNode }) {
  return (
    <button type="button" className={`ghost ${styles.chipButton}`} aria-label={name} title={name} onClick={onPress}>
      {children}
    </button>
  );
}
