import { Popover } from "@base-ui/react/popover";
import { useStore } from "zustand";
import type { RequestRecord } from "../../shared/turn.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { linkedPreset, useModel } from "../models/chat-model.ts";
import type { Chat } from "../stores/chat.ts";
import styles from "./ContextGauge.module.css";
import { fillOf, lastMeasured, windowAhead } from "./context-fill.ts";
import { tokensOf, wholeOf } from "./figures.ts";
import { useTraceWords } from "./trace-words.ts";

const shortWords = { high: "trace.gaugeHighShort", full: "trace.gaugeFullShort" } as const;
const longWords = { high: "trace.gaugeHigh", full: "trace.gaugeFull" } as const;

/** How much of the model's window this chat fills, also right after another model was chosen; what fills it unfolds. Not there before anything is measured. */
export function ContextGauge({ chat }: { chat: Chat }) {
  const { t, language } = useTraceWords();
  const request = useStore(chat.store, lastMeasured);
  const overview = useStore(useAssistant().cloud.store, (state) => state.overview);
  const preset = linkedPreset(overview, useModel(chat))?.preset;
  const ahead = useStore(chat.store, (state) => windowAhead(state, preset));
  const fill = request && fillOf(request, ahead);
  if (!fill) return null;
  const { used, window, share, level } = fill;
  return (
    <Popover.Root>
      <Popover.Trigger openOnHover className={styles.gauge} data-level={level}>
        <span className="unseen">{t("trace.gaugeName")} </span>
        <span className={styles.track} aria-hidden>
          <span className={styles.fill} style={{ width: `${share * 100}%` }} />
        </span>
        <span className={styles.figures}>
          {t("trace.gauge", { used: tokensOf(used, language), window: tokensOf(window, language) })}
        </span>
        {level !== "calm" && <span className={styles.level}>{t(shortWords[level])}</span>}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={styles.positioner} sideOffset={6} align="end">
          <Popover.Popup className={styles.popup}>
            <Popover.Title className={styles.title}>{t("trace.gaugeTitle")}</Popover.Title>
            <Contents request={request} free={fill.free} />
            {level !== "calm" && <p className={styles.warning}>{t(longWords[level])}</p>}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Contents({ request, free }: { request: RequestRecord; free: number }) {
  const { t, language } = useTraceWords();
  const { usage, messages, tools } = request;
  if (!usage) return null;
  const read = [
    t("trace.gaugeMessages", { count: messages }),
    ...(tools > 0 ? [t("trace.gaugeTools", { count: tools })] : []),
  ];
  return (
    <dl className={styles.contents}>
      <dt>
        {t("trace.gaugeRead")}
        <small>{read.join(" ")}</small>
      </dt>
      <dd>{wholeOf(usage.inputTokens, language)}</dd>
      <dt>{t("trace.gaugeWritten")}</dt>
      <dd>{wholeOf(usage.outputTokens, language)}</dd>
      <dt>{t("trace.gaugeFree")}</dt>
      <dd>{wholeOf(free, language)}</dd>
    </dl>
  );
}
