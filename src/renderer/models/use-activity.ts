import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import type { Chat } from "../stores/chat.ts";

/** What keeps a model from answering now, in words: it is fetched or loaded. Undefined: nothing does. */
export function useActivity(chat: Chat): string | undefined {
  const { models } = useAssistant();
  const { t, i18n } = useTranslation();
  const progress = useStore(chat.store, ({ order, turns }) => turns[order.at(-1) ?? ""]?.progress);
  const download = useStore(models.store, ({ fetches }) =>
    Object.values(fetches).find(({ state }) => state === "fetching" || state === "checking"),
  );
  const isEmpty = useStore(models.store, ({ cards }) => cards.every(({ state }) => state !== "here"));
  const percent = ({ done, total }: { done: number; total: number }) =>
    new Intl.NumberFormat(i18n.language, { style: "percent" }).format(total > 0 ? Math.min(1, done / total) : 0);
  if (progress?.phase === "fetching") return t("models.fetching", { percent: percent(progress) });
  if (progress?.phase === "loading") return t("models.loading", { percent: percent(progress) });
  return download && isEmpty ? t("models.fetching", { percent: percent(download) }) : undefined;
}
