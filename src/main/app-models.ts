import { modelOfPreset, presetIdOf } from "../shared/cloud.ts";
import { AppError, toAppError } from "../shared/errors.ts";
import type { Settings } from "../shared/settings.ts";
import type { Models, SessionModel } from "./agent/turn.ts";
import type { Cloud } from "./app-cloud.ts";
import type { Engine } from "./engine/keeper.ts";
import type { Log } from "./lib/log.ts";
import type { Progress } from "./lib/progress.ts";
import { type ModelEntry, starterEntry } from "./models/catalogue.ts";
import { fetchModel } from "./models/fetch-model.ts";
import { findModel, listModels } from "./models/find-model.ts";
import { modelsFolder } from "./models/folders.ts";
import type { Door } from "./net/errand.ts";
import { createLocalProvider } from "./providers/local.ts";
import type { Provider } from "./providers/provider.ts";

export interface ModelsOptions {
  readonly dataFolder: string;
  readonly engine: Engine;
  readonly cloud: Cloud;
  readonly door: Door;
  readonly log: Log;
  readonly settings: () => Settings;
  /** Chosen for this run of the app, above session and settings. */
  readonly chosen?: string | undefined;
  /** Lifts the hold on a model that stopped the engine before. */
  readonly tryHeld: boolean;
  /** Asks the person whether the starter model may be fetched. */
  readonly mayFetch: (entry: ModelEntry, signal: AbortSignal) => Promise<boolean>;
}

/** Finds, fetches and opens the models of this computer: the joint of `models`, `engine` and `providers`. */
export function createModels(options: ModelsOptions): Models {
  const { dataFolder, engine, cloud, log, settings } = options;
  const opened = new Map<string, Provider>();
  const find = (wanted: string | undefined) => findModel({ dataFolder, wanted });

  async function provider(session: SessionModel, signal: AbortSignal, onFetch: Progress): Promise<Provider> {
    const wanted = options.chosen ?? session.model ?? settings().model;
    const presetId = presetIdOf(wanted);
    if (presetId !== undefined) return cloud.provider(session.id, presetId);
    return localProvider(wanted, signal, onFetch);
  }

  async function localProvider(wanted: string | undefined, signal: AbortSignal, onFetch: Progress): Promise<Provider> {
    const { path, entry } = await find(wanted).catch(async (thrown) => ({
      path: await fetchStarter(options, wanted, thrown, signal, onFetch),
      entry: starterEntry(),
    }));
    const known = opened.get(path);
    if (known) return known;
    if (options.tryHeld) engine.release(path);
    const name = entry?.name; // what a file calls itself is often the name of a training run
    const fresh = createLocalProvider({ engine, path, name, run: () => runOf(settings()), log });
    opened.set(path, fresh);
    return fresh;
  }

  /** A preset by its id or its name, as people write it. */
  const presetNamed = (name: string) =>
    cloud.presets().find((preset) => modelOfPreset(preset.id) === name || preset.name === name);

  return {
    provider,
    fallbacks({ id, model = settings().model }) {
      if (options.chosen !== undefined) return []; // this one and no other
      return settings().fallbacks.filter((name) => {
        const presetId = presetIdOf(name);
        return name !== model && (presetId === undefined || cloud.mayAnswer(id, presetId));
      });
    },
    list: async () => [...(await listModels(modelsFolder(dataFolder))), ...cloud.presets().map(({ name }) => name)],
    async check(name) {
      const preset = presetNamed(name);
      if (preset) return modelOfPreset(preset.id);
      engine.release((await find(name)).path);
      return name;
    },
  };
}

/** The part of the settings that decides on how a local model is run. */
const runOf = ({ contextTokens, gpu, flashAttention, cacheType, thinking }: Settings) => ({
  contextTokens,
  run: { gpu, flashAttention, cacheType, thinking },
});

/** Where nothing else was asked for, or the starter itself: fetched, if the person agrees. */
async function fetchStarter(
  { dataFolder, door, mayFetch: ask }: ModelsOptions,
  wanted: string | undefined,
  thrown: unknown,
  signal: AbortSignal,
  onFetch: Progress,
): Promise<string> {
  const missing = toAppError(thrown);
  const entry = starterEntry();
  if (missing.code !== "model-missing" || (wanted !== undefined && wanted !== entry.id)) throw missing;
  const mayFetch = await ask(entry, signal);
  signal.throwIfAborted();
  if (!mayFetch) {
    const size = Math.round(entry.bytes / 1e6);
    throw new AppError(
      "model-missing",
      `${missing.message} --yes fetches ${entry.name} (${size} MB); --model FILE uses a file you have. Your message is kept.`,
    );
  }
  return fetchModel(entry, {
    modelsFolder: modelsFolder(dataFolder),
    door,
    signal,
    onProgress: ({ done, total }) => onFetch(done, total),
  });
}
