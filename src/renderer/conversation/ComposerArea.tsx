import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ErrorCode } from "../../shared/errors.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import styles from "./Composer.module.css";
import { ComposerBox } from "./ComposerBox.tsx";
import { type Composer, textIn } from "./composer.ts";
import type { Consent } from "./consent.ts";
import { GoalLine } from "./GoalLine.tsx";
import { KeyWarning } from "./KeyWarning.tsx";
import { LeavingLine } from "./LeavingLine.tsx";
import { WaitingChips } from "./WaitingChips.tsx";

interface AreaProps {
  readonly chat: Chat;
  readonly composer: Composer;
  readonly consent: Consent;
}

/** All that stands under the conversation: what went wrong, what waits, what would leave, and the box. */
export function ComposerArea({ chat, composer, consent }: AreaProps) {
  return (
    <div className={styles.area}>
      <Problem chat={chat} composer={composer} />
      <GoalLine chat={chat} />
      <WaitingChips chat={chat} composer={composer} />
      <LeavingLine chat={chat} consent={consent} />
      <KeyWarning composer={composer} />
      <ComposerBox chat={chat} composer={composer} />
    </div>
  );
}

/** Nothing can be kept: the message waits in the box until it can. */
const storageCodes: ReadonlySet<ErrorCode> = new Set([
  "disk-full",
  "disk-error",
  "data-read-only",
  "data-newer",
  "data-damaged",
]);

/** Why the last thing asked for could not be done, and what the message had in it that was put right. */
function Problem({ chat, composer }: { chat: Chat; composer: Composer }) {
  const { t } = useTranslation();
  const problem = useStore(chat.store, (state) => state.problem);
  const isRepaired = useStore(chat.store, (state) => state.isRepaired);
  if (!problem) return isRepaired ? <p className={styles.repaired}>{t("conversation.repaired")}</p> : null;
  return (
    <div role="alert" className={styles.problem}>
      <span>
        <b>{t(`problems.${problem.code}`)}.</b> <span lang="en">{visibleText(problem.message)}</span>
        {storageCodes.has(problem.code) && <StillHere composer={composer} />}
      </span>
      <button type="button" className="ghost" aria-label={t("conversation.dismiss")} onClick={chat.clearProblem}>
        <X size={16} aria-hidden />
      </button>
    </div>
  );
}

/** What could not be stored is in the box still; it can be tried again, and looked into. */
function StillHere({ composer }: { composer: Composer }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  const isBlank = useStore(composer.store, (state) => textIn(state).trim() === "");
  return (
    <>
      {!isBlank && ` ${t("care.stillInBox")}`}
      <span className={styles.problemSteps}>
        {!isBlank && (
          <button type="button" onClick={() => void composer.send()}>
            {t("conversation.tryAgain")}
          </button>
        )}
        <button type="button" onClick={() => layout.show("health")}>
          {t("care.health")}
        </button>
      </span>
    </>
  );
}
