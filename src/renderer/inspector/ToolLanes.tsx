import { visibleText } from "../lib/plain-text.ts";
import type { Lane } from "./run-parts.ts";
import styles from "./ToolLanes.module.css";
import { callWords, useTraceWords } from "./trace-words.ts";

/** The tools of one batch as bars on one scale of time: what ran side by side lies side by side. */
export function ToolLanes({ lanes }: { lanes: readonly Lane[] }) {
  const { t, length } = useTraceWords();
  const labelOf = ({ name, state, ms }: Lane) =>
    ms === undefined
      ? t("trace.laneOpen", { name, state: t(callWords[state]) })
      : t("trace.lane", { name, state: t(callWords[state]), ms: length(ms) });
  const timeOf = ({ state, ms }: Lane) =>
    [...(state === "finished" ? [] : [t(callWords[state])]), ...(ms === undefined ? [] : [length(ms)])].join(" · ");
  return (
    <li>
      <ul className={styles.lanes}>
        {lanes.map((lane) => (
          <li key={lane.id} className={styles.lane} data-state={lane.state} title={lane.summary}>
            <span className="unseen">{labelOf(lane)}</span>
            <span
              aria-hidden
              className={styles.bar}
              style={{ insetInlineStart: `${lane.from * 100}%`, width: `${lane.width * 100}%` }}
            />
            <span aria-hidden className={styles.name}>
              {visibleText(lane.name)}
            </span>
            <span aria-hidden className={styles.time}>
              {timeOf(lane)}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
}
