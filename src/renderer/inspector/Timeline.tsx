import type { WireError } from "../../shared/errors.ts";
import type { Phase } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import type { Mark, Pin } from "./checkpoints.ts";
import type { StepPart } from "./run-parts.ts";
import styles from "./Timeline.module.css";
import { ToolLanes } from "./ToolLanes.tsx";
import { type TimelineRow, timelineOf } from "./timeline.ts";
import { stateWords, useTraceWords } from "./trace-words.ts";
import { useNow } from "./use-now.ts";

/** The states of a turn from top to bottom, with what each did and its time; the run with its steps inside. */
export function Timeline({ view }: { view: TurnView }) {
  const now = useNow(view.turn.state !== "done");
  return (
    <ol className={styles.trace}>
      {timelineOf(view).map((row) => (
        <Row key={row.key} row={row} now={now} />
      ))}
    </ol>
  );
}

function Row({ row, now }: { row: TimelineRow; now: number }) {
  const { t, say } = useTraceWords();
  const { state, status, facts, startedAt, ms, error, parts } = row;
  return (
    <li className={styles.row} data-status={status} aria-current={status === "running" ? "step" : undefined}>
      <b>{t(stateWords[state])}</b>
      <span className={styles.facts}>{say(facts)}</span>
      <Time startedAt={startedAt} ms={ms} now={now} />
      {error && <Problem error={error} />}
      {parts.length > 0 && (
        <ol className={styles.parts}>
          {parts.map((part) => {
            if (part.kind === "step") return <Step key={part.key} step={part} now={now} />;
            if (part.kind === "tools") return <ToolLanes key={part.key} lanes={part.lanes} />;
            return <PinLine key={part.key} pin={part} />;
          })}
        </ol>
      )}
    </li>
  );
}

const markWords = {
  injected: "trace.pinInjected",
  goal: "trace.pinGoal",
  goalEnded: "trace.pinGoalEnded",
  stopped: "trace.pinStopped",
} as const satisfies Record<Exclude<Mark, Phase>, string>;

/** A moment of the run that is on disk: a crash after it loses nothing that was before it. */
function PinLine({ pin: { mark, at } }: { pin: Pin }) {
  const { t, language } = useTraceWords();
  const when = new Intl.DateTimeFormat(language, { timeStyle: "medium" }).format(at);
  const word = Object.hasOwn(markWords, mark) ? markWords[mark as keyof typeof markWords] : undefined;
  return (
    <li className={styles.pin} data-mark={mark} title={when}>
      <span aria-hidden>◆ </span>
      {word ? t(word) : t("trace.checkpoint", { phase: mark })}
    </li>
  );
}

function Step({ step, now }: { step: StepPart; now: number }) {
  const { t, say } = useTraceWords();
  const { number, facts, startedAt, ms, isLost, error } = step;
  return (
    <li className={styles.step}>
      <b>{t("trace.step", { number })}</b>
      <span className={styles.facts}>{say(facts)}</span>
      {!isLost && <Time startedAt={startedAt} ms={ms} now={now} />}
      {error && <Problem error={error} />}
    </li>
  );
}

/** How long it took, or how long it has been going on. */
function Time({ startedAt, ms, now }: { startedAt: number | undefined; ms: number | undefined; now: number }) {
  const { length } = useTraceWords();
  if (startedAt === undefined) return null;
  return <span className={styles.time}>{length(ms ?? Math.max(0, now - startedAt))}</span>;
}

function Problem({ error }: { error: WireError }) {
  const { t } = useTraceWords();
  return (
    <span className={styles.problem}>
      {t(`problems.${error.code}`)}. <span className={styles.message}>{error.message}</span>
    </span>
  );
}
