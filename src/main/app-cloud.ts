import type { CloudConnection, CloudOverview, VaultTier } from "../shared/cloud.ts";
import { AppError, toAppError, toWire } from "../shared/errors.ts";
import type { Settings } from "../shared/settings.ts";
import { createSetup, type Setup } from "./app-cloud-setup.ts";
import { leavingFor, requireConsent } from "./app-consent.ts";
import type { Store } from "./db/store.ts";
import type { CloudDesk } from "./ipc/backend.ts";
import { newId } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { placeOfUrl } from "./net/addresses.ts";
import type { Door } from "./net/errand.ts";
import { createCloudProvider, offeredModels } from "./providers/cloud.ts";
import type { Provider } from "./providers/provider.ts";
import { vendors } from "./providers/vendors.ts";
import type { Vault } from "./vault/vault.ts";

export interface CloudOptions {
  readonly kept: Store;
  /** The store that a chat lives in. */
  readonly storeOf: (chatId: string) => Store;
  readonly door: Door;
  readonly vault: Vault;
  readonly settings: () => Settings;
  readonly workspace: () => string;
  readonly onChange: (overview: CloudOverview) => void;
  readonly log: Log;
}

/** Cloud models: connections, presets, keys and consent. The joint of `vault`, `net`, `providers` and the store. */
export function createCloud(options: CloudOptions) {
  const { kept, storeOf, vault, settings, workspace, log } = options;
  const setup = createSetup(kept, log);
  const connections = createConnections(setup, options);
  const tell = () => options.onChange(connections.overview());

  /** Everybody is told of what has changed. */
  async function changing<T>(work: () => Promise<T>): Promise<T> {
    const value = await work();
    tell();
    return value;
  }

  const desk: CloudDesk = {
    async overview() {
      await vault.ready();
      return connections.overview();
    },
    connect: (wanted) => changing(() => connections.connect(wanted)),
    disconnect: (connectionId) => changing(() => connections.disconnect(connectionId)),
    setKey: (connectionId, key) => changing(() => connections.setKey(connectionId, key)),
    test: connections.test,
    models: (id) => offeredModels({ ...connections.link(setup.connection(id)), purpose: "model-list" }),
    savePreset(preset) {
      const saved = setup.savePreset(preset);
      tell();
      return saved;
    },
    removePreset(presetId) {
      setup.removePreset(presetId);
      tell();
    },
    chooseVault: (tier: VaultTier, passphrase) => changing(() => vault.choose(tier, passphrase)),
    unlockVault: (passphrase) => changing(() => vault.unlock(passphrase)),
    leaving: (chatId, presetId) => leavingFor(storeOf(chatId), chatId, setup.linked(presetId).connection, workspace()),
  };

  /** The provider of a preset, for one chat. Throws not-found, consent-needed, never-cloud. */
  function provider(chatId: string, presetId: string): Provider {
    const { connection, preset } = setup.linked(presetId);
    requireConsent(storeOf(chatId), chatId, connection);
    return createCloudProvider({ ...connections.link(connection), preset, log });
  }

  /** Whether a chat may be answered by a preset now: it is there, allowed, not marked, and Local mode lets it out. */
  function mayAnswer(chatId: string, presetId: string): boolean {
    try {
      const { connection } = setup.linked(presetId);
      requireConsent(storeOf(chatId), chatId, connection);
      return !settings().localMode || connection.place === "this-computer";
    } catch {
      return false; // what is missing is told when somebody asks for this very model
    }
  }

  return { desk, provider, mayAnswer, presets: () => setup.read().presets };
}

export type Cloud = ReturnType<typeof createCloud>;

const keyOf = (connectionId: string): string => `connection:${connectionId}`;

/** The accounts and addresses, each with its key. */
function createConnections(setup: Setup, { kept, door, vault }: CloudOptions) {
  /** The key of a connection; undefined: it needs none and has none. Throws key-missing, key-locked. */
  async function keyFor({ id, vendor, baseUrl, name }: CloudConnection): Promise<string | undefined> {
    if (vault.has(keyOf(id)) !== "none") return vault.get(keyOf(id), new URL(baseUrl).origin);
    if (!vendors[vendor].needsKey) return undefined;
    throw new AppError("key-missing", `${name} has no key. Give it one in the settings of the cloud models.`);
  }

  const link = (connection: CloudConnection) => ({ connection, key: () => keyFor(connection), door });

  return {
    link,
    overview: (): CloudOverview => ({
      vendors: Object.values(vendors).map(({ id, name, baseUrl, needsKey, keyPage }) => ({
        ...{ id, name, baseUrl, needsKey },
        ...(keyPage && { keyPage }),
      })),
      connections: setup.read().connections.map((one) => ({
        ...one,
        host: new URL(one.baseUrl).host,
        key: vault.has(keyOf(one.id)),
      })),
      presets: setup.read().presets,
      vault: vault.state(),
    }),
    async connect({ vendor, name, baseUrl, key }: Parameters<CloudDesk["connect"]>[0]): Promise<CloudConnection> {
      const address = plainAddress(baseUrl || vendors[vendor].baseUrl);
      const place = await placeOfUrl(address);
      const connection: CloudConnection = { id: newId(), vendor, name, baseUrl: address, place };
      if (key !== undefined) await vault.set(keyOf(connection.id), new URL(address).origin, key);
      setup.addConnection(connection);
      return connection;
    },
    async disconnect(connectionId: string): Promise<void> {
      await vault.remove(keyOf(setup.connection(connectionId).id));
      setup.removeConnection(connectionId);
      kept.forgetConnection(connectionId);
    },
    async setKey(connectionId: string, key: string): Promise<void> {
      const { id, baseUrl } = setup.connection(connectionId);
      await vault.set(keyOf(id), new URL(baseUrl).origin, key);
    },
    /** Asks the vendor for its models; on failure in the vendor's own words. */
    async test(connectionId: string): ReturnType<CloudDesk["test"]> {
      try {
        await offeredModels({ ...link(setup.connection(connectionId)), purpose: "key-test" });
        return { ok: true };
      } catch (thrown) {
        return { ok: false, error: toWire(toAppError(thrown)) };
      }
    },
  };
}

/** An address without what does not belong into one. Throws bad-request. */
function plainAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (!isPlain)
    throw new AppError("bad-request", `"${text}" is not a web address, such as https://api.example.com/v1.`);
  if (url.search !== "" || url.hash !== "")
    throw new AppError("bad-request", "The address has a part behind ? or #. A key goes into its own field.");
  return url.href.replace(/\/+$/, "");
}
