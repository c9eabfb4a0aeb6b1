import { EyeOff } from "lucide-react";
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ChatHit } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { holdsAll } from "./hits.ts";
import { Marked } from "./Marked.tsx";
import styles from "./SearchResults.module.css";
import { focusedResult, focusResult, SEARCH_RESULTS } from "./search-focus.ts";
import { MAX_HITS, useSearch } from "./use-search.ts";
import { shortDate } from "./when.ts";

const MAX_TITLES = 5;
/** Of Markdown: in a line of plain text they are only noise. */
const marks = /[*_]{2,}|`+|^#+\s/gm;

/** What was found, in place of the list. `onEnd`: the person leaves the search. */
export function SearchResults({ query, onEnd, onLeave }: { query: string; onEnd: () => void; onLeave?: () => void }) {
  const { t } = useTranslation();
  const { chats } = useAssistant();
  const all = useStore(chats.store, (state) => state.chats);
  const found = useSearch(query);
  const titles = Object.values(all)
    .filter(({ title }) => holdsAll(title, query))
    .sort((a, b) => b.updatedAt - a.updatedAt)
    .slice(0, MAX_TITLES);
  const open = (chatId: string, turnId?: string) => {
    chats.open(chatId, turnId);
    onLeave?.();
  };
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && focusResult(focusedResult() + step)) event.preventDefault();
    if (event.key !== "Escape") return;
    event.stopPropagation(); // it leaves the search, not what stands around it
    focusResult(-1);
    onEnd();
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons have the focus; the keys only move between them
    <div className={styles.results} id={SEARCH_RESULTS} onKeyDown={onKeyDown}>
      {titles.length > 0 && <h2 className={styles.heading}>{t("chats.titles")}</h2>}
      {titles.map(({ id, title }) => (
        <button key={id} type="button" className={styles.hit} onClick={() => open(id)}>
          <b dir="auto">
            <Marked text={visibleText(title)} query={query} />
          </b>
        </button>
      ))}
      {found && found.hits.length > 0 && <h2 className={styles.heading}>{t("chats.messages")}</h2>}
      {found?.hits.map((hit) => (
        <Hit
          key={`${hit.chatId} ${hit.messageId}`}
          hit={hit}
          query={found.query}
          onOpen={() => open(hit.chatId, hit.turnId)}
        />
      ))}
      {found?.hits.length === 0 && titles.length === 0 && found.problem === null && <Nothing />}
      <p className={styles.count} role="status">
        {found === null && t("chats.searching")}
        {found?.problem && `${t(`problems.${found.problem.code}`)}: ${found.problem.message}`}
        {found && found.hits.length > 0 && t(countWords(found.hits.length), { count: found.hits.length })}
      </p>
    </div>
  );
}

const countWords = (count: number) => (count >= MAX_HITS ? "chats.foundMany" : "chats.found");

function Hit({ hit, query, onOpen }: { hit: ChatHit; query: string; onOpen: () => void }) {
  const { t, i18n } = useTranslation();
  const { chats } = useAssistant();
  const isPrivate = useStore(chats.store, (state) => state.chats[hit.chatId]?.private ?? false);
  return (
    <button type="button" className={styles.hit} onClick={onOpen}>
      <span className={styles.line}>
        {isPrivate && <EyeOff size={12} aria-label={t("chats.isPrivate")} />}
        <b dir="auto">{visibleText(hit.chatTitle) || t("chats.untitled")}</b>
        <small>{shortDate(hit.createdAt, Date.now(), i18n.language)}</small>
      </span>
      <span className={styles.snippet} dir="auto">
        {hit.role === "user" && <small>{t("chats.you")}: </small>}
        <Marked text={visibleText(hit.snippet.replace(marks, ""))} query={query} />
      </span>
    </button>
  );
}

function Nothing() {
  const { t } = useTranslation();
  return (
    <div className={styles.nothing}>
      <b>{t("chats.foundNone")}</b>
      <p>{t("chats.foundNoneNext")}</p>
    </div>
  );
}
