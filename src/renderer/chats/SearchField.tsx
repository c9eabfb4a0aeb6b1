import { Search, X } from "lucide-react";
import { type KeyboardEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import { isComposing, isMac, keysOf } from "../lib/shortcuts.ts";
import { paletteShortcut } from "../shell/commands.ts";
import styles from "./SearchField.module.css";
import { focusResult, SEARCH_FIELD, SEARCH_RESULTS } from "./search-focus.ts";

/** Where one types what to look for. Esc empties it, the arrow goes down into what was found. */
export function SearchField({ query, onChange }: { query: string; onChange: (query: string) => void }) {
  const { t } = useTranslation();
  const field = useRef<HTMLInputElement>(null);
  const leave = () => {
    onChange("");
    field.current?.focus();
  };
  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event.nativeEvent)) return;
    if (event.key === "Escape" && query !== "") {
      event.stopPropagation(); // it leaves the search, not what stands around it
      event.preventDefault();
      leave();
    }
    if (event.key === "ArrowDown" && focusResult(0)) event.preventDefault();
    if (event.key === "Enter") document.querySelector<HTMLElement>(`#${SEARCH_RESULTS} button`)?.click();
  }
  return (
    <search className={styles.search}>
      <Search size={15} aria-hidden="true" />
      <input
        ref={field}
        id={SEARCH_FIELD}
        type="text"
        value={query}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        placeholder={t("chats.search")}
        aria-label={t("chats.search")}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {query === "" ? (
        <kbd>{keysOf(paletteShortcut, isMac).join(isMac ? "" : " ")}</kbd>
      ) : (
        <button type="button" className="ghost" aria-label={t("chats.searchClear")} onClick={leave}>
          <X size={14} aria-hidden="true" />
        </button>
      )}
    </search>
  );
}
