import { createContext, type ReactNode, useContext } from "react";
import type { Hello } from "../../shared/ipc.ts";
import { type Chats, createChats } from "../stores/chats.ts";
import { type CloudDesk, createCloud } from "../stores/cloud.ts";
import { createHealth, type HealthDesk } from "../stores/health.ts";
import { createLayout, type Layout } from "../stores/layout.ts";
import { createModels, type Models } from "../stores/models.ts";
import { createSettings, type SettingsDesk } from "../stores/settings.ts";
import type { Host } from "./host.ts";

/** All that components share. Made once; it never changes its identity. */
export interface Assistant {
  readonly host: Host;
  readonly chats: Chats;
  readonly models: Models;
  readonly settings: SettingsDesk;
  readonly health: HealthDesk;
  readonly cloud: CloudDesk;
  readonly layout: Layout;
}

export function createAssistant(host: Host, hello: Hello): Assistant {
  return {
    host,
    chats: createChats(host),
    models: createModels(host, hello.fetches),
    settings: createSettings(host, hello),
    health: createHealth(host, hello.storage),
    cloud: createCloud(host),
    layout: createLayout(),
  };
}

const Context = createContext<Assistant | null>(null);

export function AssistantProvider({ assistant, children }: { assistant: Assistant; children: ReactNode }) {
  return <Context value={assistant}>{children}</Context>;
}

export function useAssistant(): Assistant {
  const assistant = useContext(Context);
  if (!assistant) throw new Error("useAssistant stands outside of AssistantProvider");
  return assistant;
}
