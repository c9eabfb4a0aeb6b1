import { Progress } from "@base-ui/react/progress";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ModelCard } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./DownloadPart.module.css";
import { type Download, downloadOf } from "./download.ts";
import { partOf, sizeOf, timeLeft } from "./figures.ts";

/** The right side of a tile: get it, how the download goes, use it. */
export function DownloadPart({ card }: { card: ModelCard }) {
  const { models } = useAssistant();
  const news = useStore(models.store, ({ fetches }) => fetches[card.id]);
  const download = downloadOf(card, news);
  if (download.state !== "absent" && download.state !== "here") return <UnderWay card={card} download={download} />;
  return <Action card={card} state={download.state} />;
}

/** What can be done with a model in each state. */
const actions = {
  absent: { word: "models.get", call: "fetch" },
  queued: { word: "models.pause", call: "pause" },
  fetching: { word: "models.pause", call: "pause" },
  paused: { word: "models.resume", call: "fetch" },
  failed: { word: "models.tryAgain", call: "fetch" },
  here: { word: "models.use", call: "use" },
} as const;

/** The one thing to do with a model now; nothing while it is checked, in use, held back, or too big. */
function Action({ card, state }: { card: ModelCard; state: Download["state"] }) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const { id, name } = card;
  const isSettled = state === "here" && (card.chosen || card.held !== undefined);
  if (state === "checking" || isSettled || (state === "absent" && card.fit === "too-big")) return null;
  const { word, call } = actions[state];
  return (
    <button
      type="button"
      className={state === "absent" ? "primary" : undefined}
      aria-label={t("models.named", { action: t(word), name: visibleText(name) })}
      onClick={() => void models[call](id)}
    >
      {t(word)}
    </button>
  );
}

function UnderWay({ card, download }: { card: ModelCard; download: Download }) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const { state, done, total, error } = download;
  const words = useProgressWords(download);
  const name = visibleText(card.name);
  return (
    <div className={styles.load} data-state={state}>
      <Progress.Root
        value={state === "checking" ? null : done}
        max={total}
        aria-label={t("models.downloadOf", { name })}
        aria-valuetext={words}
      >
        <Progress.Track className={styles.track}>
          <Progress.Indicator className={styles.fill} data-state={state} />
        </Progress.Track>
      </Progress.Root>
      <small className={styles.figures}>{words}</small>
      {error && (
        <p className={styles.problem} role="alert">
          {t(`problems.${error.code}`)}. <span className={styles.message}>{error.message}</span>
        </p>
      )}
      <span className={styles.actions}>
        <button
          type="button"
          className="ghost"
          aria-label={t("models.named", { action: t("models.cancel"), name })}
          onClick={() => void models.cancel(card.id)}
        >
          {t("models.cancel")}
        </button>
        <Action card={card} state={state} />
      </span>
    </div>
  );
}

/** `43 of 98 MB · 18 MB/s · 3 s`, or what else is to say. */
function useProgressWords(download: Download): string {
  const { t, i18n } = useTranslation();
  const { state, done, total, bytesPerSecond } = download;
  if (state === "checking") return t("models.checking");
  if (state === "queued") return t("models.queued");
  const { part, whole } = partOf(done, total, i18n.language);
  const bytes = t("models.bytes", { done: part, total: whole });
  if (state === "paused") return [bytes, t("models.paused")].join(" · ");
  if (state !== "fetching" || bytesPerSecond <= 0) return bytes;
  const left = timeLeft(download);
  const time =
    left &&
    t(left.hours > 0 ? "models.hoursLeft" : left.minutes > 0 ? "models.minutesLeft" : "models.secondsLeft", left);
  return [bytes, t("models.speed", { size: sizeOf(bytesPerSecond, i18n.language) }), ...(time ? [time] : [])].join(
    " · ",
  );
}
