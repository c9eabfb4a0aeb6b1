import { type CloudConnection, type CloudPreset, CloudSetup } from "../shared/cloud.ts";
import { AppError } from "../shared/errors.ts";
import { newId } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";

const KEY = "cloud";

interface SettingStore {
  setting(key: string): string | undefined;
  setSetting(key: string, value: string): void;
}

/** Connections and presets as they are stored: one value, nothing secret. */
export function createSetup(store: SettingStore, log: Log) {
  const empty: CloudSetup = { connections: [], presets: [] };

  function read(): CloudSetup {
    const text = store.setting(KEY);
    if (text === undefined) return empty;
    try {
      return CloudSetup.parse(JSON.parse(text));
    } catch {
      log.warn("cloud setup not read"); // it is kept beside the next one that is written
      return empty;
    }
  }

  function write(next: CloudSetup): void {
    const before = store.setting(KEY);
    if (before !== undefined && read() === empty) store.setSetting(`${KEY}.bad-${Date.now()}`, before);
    store.setSetting(KEY, JSON.stringify(next));
  }

  function found<T extends { id: string }>(list: readonly T[], id: string, what: string): T {
    const one = list.find((each) => each.id === id);
    if (!one) throw new AppError("not-found", `There is no ${what} ${id}. It may have been removed.`);
    return one;
  }

  const connection = (id: string): CloudConnection => found(read().connections, id, "connection");

  return {
    read,
    connection,
    addConnection(added: CloudConnection): void {
      const { connections, presets } = read();
      write({ connections: [...connections, added], presets });
    },
    /** Its presets go with it. */
    removeConnection(id: string): void {
      const { connections, presets } = read();
      write({
        connections: connections.filter((one) => one.id !== id),
        presets: presets.filter(({ connectionId }) => connectionId !== id),
      });
    },
    linked(presetId: string): { preset: CloudPreset; connection: CloudConnection } {
      const preset = found(read().presets, presetId, "cloud model");
      return { preset, connection: connection(preset.connectionId) };
    },
    savePreset({ id = newId(), ...rest }: Omit<CloudPreset, "id"> & { id?: string | undefined }): CloudPreset {
      connection(rest.connectionId);
      const { connections, presets } = read();
      const saved: CloudPreset = { id, ...rest };
      const isNew = presets.every((preset) => preset.id !== id);
      const next = isNew ? [...presets, saved] : presets.map((preset) => (preset.id === id ? saved : preset));
      write({ connections, presets: next });
      return saved;
    },
    removePreset(presetId: string): void {
      const { connections, presets } = read();
      write({ connections, presets: presets.filter(({ id }) => id !== presetId) });
    },
  };
}

export type Setup = ReturnType<typeof createSetup>;
