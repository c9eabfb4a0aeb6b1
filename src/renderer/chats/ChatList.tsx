import { Settings as SettingsIcon } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { ModeLight } from "../network/ModeLight.tsx";
import { ChatLines } from "./ChatLines.tsx";
import styles from "./ChatList.module.css";
import { NewChat } from "./NewChat.tsx";
import { SearchField } from "./SearchField.tsx";
import { SearchResults } from "./SearchResults.tsx";

/** The left column: new chats, the search, every chat, and where one stands. `onLeave`: something was opened from it. */
export function ChatList({ onLeave }: { onLeave?: () => void }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  const query = useStore(layout.store, (state) => state.query);
  const isSearching = query.trim() !== "";
  return (
    <nav className={styles.side} aria-label={t("chats.chats")}>
      <header className={styles.head}>
        <b className={styles.logo}>
          <span aria-hidden="true">◗ </span>
          {t("app.name")}
        </b>
        <NewChat {...(onLeave && { onLeave })} />
      </header>
      <SearchField query={query} onChange={layout.search} />
      {isSearching ? (
        <SearchResults query={query} onEnd={() => layout.search("")} {...(onLeave && { onLeave })} />
      ) : (
        <ChatLines {...(onLeave && { onLeave })} />
      )}
      <footer className={styles.foot}>
        <ModeLight />
        <button
          type="button"
          className="ghost"
          aria-label={t("settings.settings")}
          title={t("settings.settings")}
          onClick={() => layout.show("settings")}
        >
          <SettingsIcon size={16} aria-hidden="true" />
        </button>
      </footer>
    </nav>
  );
}
