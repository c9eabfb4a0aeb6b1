import { PanelLeft } from "lucide-react";
import { Suspense, useEffect, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { ChatList } from "../chats/ChatList.tsx";
import { Conversation } from "../conversation/Conversation.tsx";
import { HealthBanner } from "../health/HealthBanner.tsx";
import { useAssistant } from "../lib/assistant.tsx";
import { later, readRest } from "../lib/later.ts";
import { NARROW, TIGHT, useMedia } from "../lib/media.ts";
import { type Chat, createChat } from "../stores/chat.ts";
import { Drawer } from "./Drawer.tsx";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { NoConversation } from "./NoConversation.tsx";
import { Overlays } from "./Overlays.tsx";
import { focusComposer, showSide } from "./places.ts";
import styles from "./Shell.module.css";
import { useShortcuts } from "./use-shortcuts.ts";

const Inspector = later(async () => (await import("../inspector/Inspector.tsx")).Inspector);

/** Three columns that fold: chats, conversation, inspector. */
export function Shell() {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const isConnected = useStore(settings.store, (state) => state.isConnected);
  const chat = useOpenChat();
  useShortcuts();
  useEffect(readRest, []);
  const isOpen = chat !== null;
  useEffect(() => {
    if (isOpen && document.activeElement === document.body) focusComposer(); // at the start one can type at once
  }, [isOpen]);
  return (
    <div className={styles.frame}>
      <HealthBanner />
      <div className={styles.shell}>
        <button type="button" className={styles.skip} onClick={focusComposer}>
          {t("app.skip")}
        </button>
        {!isConnected && (
          <p className={styles.lost} role="status">
            {t("app.reconnecting")}
          </p>
        )}
        <Side hasBar={chat !== null} />
        <div className={styles.conversation}>
          <ErrorBoundary key={chat?.id}>{chat ? <Conversation chat={chat} /> : <NoConversation />}</ErrorBoundary>
        </div>
        {chat && <Trace chat={chat} />}
        <ErrorBoundary>
          <Overlays />
        </ErrorBoundary>
      </div>
    </div>
  );
}

/** The open chat, alive as long as it is open. */
function useOpenChat(): Chat | null {
  const { host, chats } = useAssistant();
  const current = useStore(chats.store, (state) => state.current);
  const chat = useMemo(
    () => (current === null ? null : createChat(host, current, chats.store.getState().target ?? undefined)),
    [host, chats, current],
  );
  useEffect(() => () => chat?.dispose(), [chat]);
  return chat;
}

/** The chats: beside the conversation, or in a drawer over it. Folded, a button brings them back; in a narrow window that is in the conversation's bar. */
function Side({ hasBar }: { hasBar: boolean }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  const isNarrow = useMedia(NARROW);
  const isOpen = useStore(layout.store, (state) => state.isSideOpen && state.overlay === null);
  const isFolded = useStore(layout.store, (state) => state.isSideFolded);
  const close = () => layout.toggleSide(false);
  const list = <ErrorBoundary>{isNarrow ? <ChatList onLeave={close} /> : <ChatList />}</ErrorBoundary>;
  const opener = (
    <button
      type="button"
      className={`ghost ${styles.opener}`}
      aria-label={t("app.openSide")}
      title={t("app.openSide")}
      onClick={() => showSide(layout)}
    >
      <PanelLeft size={18} aria-hidden="true" />
    </button>
  );
  if (!isNarrow) return isFolded ? opener : <div className={styles.side}>{list}</div>;
  return (
    <>
      {!hasBar && opener}
      <Drawer label={t("chats.chats")} edge="start" isOpen={isOpen} onClose={close}>
        {list}
      </Drawer>
    </>
  );
}

/** The inspector: a third column, or a sheet over the conversation. */
function Trace({ chat }: { chat: Chat }) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  const isTight = useMedia(TIGHT);
  const isOpen = useStore(layout.store, (state) => state.isInspectorOpen);
  const isCovered = useStore(layout.store, (state) => state.overlay !== null);
  const inspector = (
    <ErrorBoundary key={chat.id}>
      <Suspense>
        <Inspector chat={chat} />
      </Suspense>
    </ErrorBoundary>
  );
  if (!isTight) return isOpen && <div className={styles.inspector}>{inspector}</div>;
  return (
    <Drawer
      label={t("app.inspector")}
      edge="end"
      isOpen={isOpen && !isCovered}
      onClose={() => layout.toggleInspector(false)}
    >
      {inspector}
    </Drawer>
  );
}
