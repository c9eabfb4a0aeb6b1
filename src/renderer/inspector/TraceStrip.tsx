import type { TurnView } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./TraceStrip.module.css";
import { type StripTag, stripOf } from "./timeline.ts";
import { stateWords, useTraceWords } from "./trace-words.ts";
import { useNow } from "./use-now.ts";

/** The states of a turn in one line over its answer, alive while it runs. It leads to the whole trace. */
export function TraceStrip({ view }: { view: TurnView }) {
  const { layout } = useAssistant();
  const { t, length } = useTraceWords();
  const tags = stripOf(view);
  const running = tags.find(({ status }) => status === "running");
  const now = useNow(running !== undefined);
  const steps = view.requests.length;

  const lengthOfTag = ({ ms, since }: StripTag) => length(ms + (since === undefined ? 0 : Math.max(0, now - since)));
  const runWords = (tag: StripTag) => {
    const isTimed = tag.ms > 0 || tag.since !== undefined; // how long one took that was cut off is not known
    const words = [steps > 0 ? t("trace.steps", { count: steps }) : "", isTimed ? lengthOfTag(tag) : ""];
    return [t("trace.run"), ...words.filter((word) => word !== "")].join(" · ");
  };
  const wordsOf = (tag: StripTag) =>
    tag.state === "run" && tag.status !== "ahead" ? runWords(tag) : t(stateWords[tag.state]);

  const passed = tags.filter(({ status }) => status !== "ahead");
  const title = passed.map((tag) => `${t(stateWords[tag.state])} ${lengthOfTag(tag)}`).join(" · ");
  return (
    <button
      type="button"
      className={styles.strip}
      title={running ? undefined : title}
      onClick={() => layout.inspect(view.turn.id)}
    >
      <span className="unseen">{labelOf(tags, t, wordsOf)}</span>
      {tags.map((tag) => (
        <span aria-hidden key={tag.state} className={styles.tag} data-status={tag.status} data-state={tag.state}>
          {wordsOf(tag)}
        </span>
      ))}
    </button>
  );
}

/** One sentence in place of seven tags. The time of what runs is left out: it would be read again and again. */
function labelOf(
  tags: readonly StripTag[],
  t: ReturnType<typeof useTraceWords>["t"],
  wordsOf: (tag: StripTag) => string,
): string {
  const running = tags.find(({ status }) => status === "running");
  if (running) return t("trace.stripRunning", { state: t(stateWords[running.state]) });
  const passed = tags.filter(({ status }) => status !== "ahead");
  const last = tags.find(({ state, status }) => state === "run" && status !== "ahead") ?? passed.at(-1);
  const summary = last ? wordsOf(last) : t("trace.stopped");
  const broken = tags.find(({ status }) => status === "failed" || status === "stopped");
  if (broken) return t("trace.stripFailed", { state: t(stateWords[broken.state]), summary });
  return t("trace.stripDone", { summary });
}
