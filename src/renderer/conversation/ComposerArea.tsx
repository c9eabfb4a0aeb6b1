import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import styles from "./Composer.module.css";
import { ComposerBox } from "./ComposerBox.tsx";
import type { Composer } from "./composer.ts";
import { GoalLine } from "./GoalLine.tsx";
import { WaitingChips } from "./WaitingChips.tsx";

/** All that stands under the conversation: what went wrong, what waits, and the box. */
export function ComposerArea({ chat, composer }: { chat: Chat; composer: Composer }) {
  return (
    <div className={styles.area}>
      <Problem chat={chat} />
      <GoalLine chat={chat} />
      <WaitingChips chat={chat} composer={composer} />
      <ComposerBox chat={chat} composer={composer} />
    </div>
  );
}

/** Why the last thing asked for could not be done, and what the message had in it that was put right. */
function Problem({ chat }: { chat: Chat }) {
  const { t } = useTranslation();
  const problem = useStore(chat.store, (state) => state.problem);
  const isRepaired = useStore(chat.store, (state) => state.isRepaired);
  if (!problem) return isRepaired ? <p className={styles.repaired}>{t("conversation.repaired")}</p> : null;
  return (
    <div role="alert" className={styles.problem}>
      <span>
        <b>{t(`problems.${problem.code}`)}.</b> {visibleText(problem.message)}
      </span>
      <button type="button" className="ghost" aria-label={t("conversation.dismiss")} onClick={chat.clearProblem}>
        <X size={16} aria-hidden />
      </button>
    </div>
  );
}
