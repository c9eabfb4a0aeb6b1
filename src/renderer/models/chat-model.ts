import { useStore } from "zustand";
import { type CloudOverview, type CloudPreset, type ConnectionView, presetIdOf } from "../../shared/cloud.ts";
import { useAssistant } from "../lib/assistant.tsx";
import type { Chat } from "../stores/chat.ts";

/** What answers in a chat: its own choice, or what new chats use. */
export function useModel(chat: Chat): string | undefined {
  const { settings } = useAssistant();
  const byDefault = useStore(settings.store, (state) => state.settings.model);
  return useStore(chat.store, (state) => state.chat?.model ?? byDefault);
}

/** A cloud model with the connection that it is reached over. */
export interface LinkedPreset {
  readonly preset: CloudPreset;
  readonly connection: ConnectionView;
}

/** What a model stands for in the cloud; undefined: it is one of this computer, or it was removed. */
export function linkedPreset(
  { presets, connections }: CloudOverview,
  model: string | undefined,
): LinkedPreset | undefined {
  const id = presetIdOf(model);
  const preset = presets.find((one) => one.id === id);
  const connection = connections.find((one) => one.id === preset?.connectionId);
  return preset && connection ? { preset, connection } : undefined;
}
