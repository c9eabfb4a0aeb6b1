import { useEffect, useMemo } from "react";
import { useStore } from "zustand";
import { ChatList } from "./chats/ChatList.tsx";
import { Conversation } from "./conversation/Conversation.tsx";
import { Inspector } from "./inspector/Inspector.tsx";
import { useAssistant } from "./lib/assistant.tsx";
import { createChat } from "./stores/chat.ts";

/** Three columns that fold: chats, conversation, inspector. */
export function App() {
  const { host, chats, layout } = useAssistant();
  const current = useStore(chats.store, (state) => state.current);
  const isInspectorOpen = useStore(layout.store, (state) => state.isInspectorOpen);
  const chat = useMemo(
    () => (current === null ? null : createChat(host, current, chats.store.getState().target ?? undefined)),
    [host, chats, current],
  );
  useEffect(() => () => chat?.dispose(), [chat]);
  return (
    <>
      <ChatList />
      {chat && <Conversation key={chat.id} chat={chat} />}
      {chat && isInspectorOpen && <Inspector chat={chat} />}
    </>
  );
}
