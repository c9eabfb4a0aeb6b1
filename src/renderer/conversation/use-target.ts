import { type RefObject, useEffect, useState } from "react";
import type { VirtualizerHandle } from "virtua";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import type { Chat } from "../stores/chat.ts";

interface TargetOptions {
  readonly chat: Chat;
  readonly order: readonly string[];
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly leaveEnd: () => void;
}

/** Goes to the turn that the list of chats asks for, once; gives the turn that is to be pointed out. */
export function useTarget({ chat, order, list, leaveEnd }: TargetOptions): string | null {
  const { chats } = useAssistant();
  const target = useStore(chats.store, (state) => (state.current === chat.id ? state.target : null));
  const [flashing, setFlashing] = useState<string | null>(null);
  const isOpen = useStore(chat.store, (state) => state.status === "open");

  useEffect(() => {
    if (target === null || !isOpen) return;
    const index = order.indexOf(target);
    if (index === -1) {
      void chat.readThrough(target);
      return;
    }
    leaveEnd();
    list.current?.scrollToIndex(index, { align: "start" });
    setFlashing(target);
    chats.store.setState({ target: null });
  }, [target, isOpen, order, chat, chats, list, leaveEnd]);

  return flashing;
}
