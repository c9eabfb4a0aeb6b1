import { Target } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Goal } from "../../shared/goal.ts";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import styles from "./GoalLine.module.css";

/** What the chat works towards, as long as it does: how much of its budget is spent, and why it waits if it does. */
export function GoalLine({ chat }: { chat: Chat }) {
  const { t } = useTranslation();
  const goal = useStore(chat.store, (state) => state.goal);
  if (!goal || (goal.state !== "active" && goal.state !== "paused")) return null;
  const isPaused = goal.state === "paused";
  return (
    <section className={styles.line} aria-label={t("care.goal")}>
      <Target size={14} aria-hidden className={styles.icon} />
      <span className={styles.text} title={visibleText(goal.text.slice(0, 1_000))}>
        {visibleText(goal.text.slice(0, 200))}
      </span>
      <small className={styles.state} data-paused={isPaused}>
        <State goal={goal} />
      </small>
      <small>
        <Spent goal={goal} />
      </small>
      <span className={styles.buttons}>
        <button type="button" className="ghost" onClick={() => void chat.changeGoal(isPaused ? "resume" : "pause")}>
          {t(isPaused ? "care.goalResume" : "care.goalPause")}
        </button>
        <button type="button" className="ghost" onClick={() => void chat.changeGoal("cancel")}>
          {t("care.goalCancel")}
        </button>
      </span>
    </section>
  );
}

function State({ goal: { state, reason } }: { goal: Goal }) {
  const { t } = useTranslation();
  if (state === "active") return t("care.goalActive");
  return reason ? t("care.goalPausedBy", { why: t(`care.why-${reason}`) }) : t("care.goalPaused");
}

function Spent({ goal: { spent, budget } }: { goal: Goal }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 0 });
  return t("care.goalSpent", {
    iterations: number.format(spent.iterations),
    mostIterations: number.format(budget.iterations),
    minutes: number.format(spent.minutes),
    mostMinutes: number.format(budget.minutes),
  });
}
