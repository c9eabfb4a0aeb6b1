import { Menu } from "@base-ui/react/menu";
import { CloudOff, EyeOff, MoreHorizontal } from "lucide-react";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ChatSummary } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./ChatRow.module.css";
import { TitleField } from "./TitleField.tsx";
import { rowId } from "./use-row-keys.ts";

export const menuButtonId = (chatId: string) => `chat-menu-${chatId}`;

interface ChatRowProps {
  readonly chat: ChatSummary;
  readonly isOpen: boolean;
  /** Tab stops here. */
  readonly isReachable: boolean;
  readonly menu: Menu.Handle<string>;
  onReach(chatId: string): void;
  onLeave?(): void;
}

/** One chat of the list: its title, how it stands, and its menu. */
export const ChatRow = memo(function ChatRow({ chat, isOpen, isReachable, menu, onReach, onLeave }: ChatRowProps) {
  const { t } = useTranslation();
  const { chats, layout } = useAssistant();
  const isRenaming = useStore(layout.store, (state) => state.renaming === chat.id);
  const title = visibleText(chat.title) || t("chats.untitled");
  const tabIndex = isReachable ? 0 : -1;
  const open = () => {
    onReach(chat.id);
    chats.open(chat.id);
    onLeave?.();
  };
  if (isRenaming) return <TitleField chat={chat} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the same menu is at its button and the keyboard
    <div
      className={styles.row}
      data-chat={chat.id}
      data-open={isOpen || undefined}
      onContextMenu={(event) => {
        event.preventDefault();
        menu.open(menuButtonId(chat.id));
      }}
    >
      <button
        type="button"
        id={rowId(chat.id)}
        className={styles.open}
        tabIndex={tabIndex}
        aria-current={isOpen ? "true" : undefined}
        title={title}
        onClick={open}
        onFocus={() => onReach(chat.id)}
      >
        {chat.private && (
          <>
            <EyeOff size={14} aria-hidden="true" />
            <span className="unseen">{t("chats.isPrivate")}</span>
          </>
        )}
        {chat.neverCloud && (
          <>
            <CloudOff size={14} aria-hidden="true" />
            <span className="unseen">{t("cloud.isNever")}</span>
          </>
        )}
        <span className={styles.title} dir="auto">
          {title}
        </span>
        <State state={chat.state} />
      </button>
      <Menu.Trigger
        handle={menu}
        payload={chat.id}
        id={menuButtonId(chat.id)}
        className={`ghost ${styles.more}`}
        tabIndex={tabIndex}
        aria-label={t("chats.more", { title })}
      >
        <MoreHorizontal size={16} aria-hidden="true" />
      </Menu.Trigger>
    </div>
  );
});

function State({ state }: { state: ChatSummary["state"] }) {
  const { t } = useTranslation();
  if (state === "idle") return null;
  if (state !== "running") return <em className={styles[state]}>{t(`chats.${state}`)}</em>;
  return (
    <i className={styles.running}>
      <span className="unseen">{t("chats.running")}</span>
    </i>
  );
}
