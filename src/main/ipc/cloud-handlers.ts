import type { LedgerTotals } from "../../shared/network.ts";
import type { Client } from "./client.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { Handlers } from "./serve.ts";

type CloudCalls = Extract<
  keyof Handlers<Client>,
  `cloud.${string}` | `vault.${string}` | `network.${string}` | `marks.${string}` | "chats.leaving" | "chats.allow"
>;

/** Cloud models and their keys, what may leave this computer, and what did. */
export function cloudHandlers({ backend, live, storeOf }: DeskParts): Pick<Handlers<Client>, CloudCalls> {
  const { cloud, stores, now } = backend;
  return {
    "cloud.overview": () => cloud.overview(),
    "cloud.connect": (wanted) => cloud.connect(wanted),
    "cloud.disconnect": async ({ connectionId }) => {
      await cloud.disconnect(connectionId);
      return {};
    },
    "cloud.setKey": async ({ connectionId, key }) => {
      await cloud.setKey(connectionId, key);
      return {};
    },
    "cloud.test": ({ connectionId }) => cloud.test(connectionId),
    "cloud.models": async ({ connectionId }) => ({ models: await cloud.models(connectionId) }),
    "cloud.savePreset": ({ preset }) => cloud.savePreset(preset),
    "cloud.removePreset": ({ presetId }) => {
      cloud.removePreset(presetId);
      return {};
    },

    "vault.choose": async ({ tier, passphrase }) => {
      await cloud.chooseVault(tier, passphrase);
      return {};
    },
    "vault.unlock": async ({ passphrase }) => {
      await cloud.unlockVault(passphrase);
      return {};
    },

    "chats.leaving": ({ chatId, presetId }) => cloud.leaving(chatId, presetId),
    "chats.allow": ({ chatId, connectionId, allowed }) => {
      storeOf(chatId).allowLeaving(chatId, connectionId, allowed, now());
      return {};
    },

    "marks.list": () => ({ marks: [...stores.kept.marks(), ...stores.private.marks()] }),
    "marks.set": ({ mark, never }) => {
      const store = mark.kind === "chat" ? storeOf(mark.ref) : stores.kept;
      store.setMark(mark, never, now());
      if (mark.kind === "chat") live.tellChat(mark.ref);
      return {};
    },

    "network.list": ({ chatId, before, limit }) => {
      const store = chatId === undefined ? stores.kept : storeOf(chatId);
      const rows = store.ledgerRows({ chatId, before, limit: limit + 1 });
      return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
    },
    "network.totals": ({ chatId }): LedgerTotals =>
      (chatId === undefined ? stores.kept : storeOf(chatId)).ledgerTotals(chatId),
  };
}
