import type { ToolLevel } from "../../shared/inference.ts";
import type { Engine } from "../engine/keeper.ts";
import type { LadderStep } from "../engine/ladder.ts";
import type { Loaded, LoadOptions } from "../engine/protocol.ts";
import { monotonicMs } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { Provider } from "./provider.ts";

export interface LocalOptions {
  /** May be shared: each request names its model, and another one's is loaded when its turn comes. */
  readonly engine: Engine;
  /** A GGUF file. */
  readonly path: string;
  /** What people know it as; without one, what the file calls itself. */
  readonly name?: string | undefined;
  /** The window wanted (the model's own may be smaller), and how it is to be run: asked at each opening. */
  readonly run: () => Pick<LoadOptions, "contextTokens" | "run">;
  /** The person's choice, above what was found. */
  readonly toolLevel?: ToolLevel;
  readonly log: Log;
}

/** The most a local model says at once: small ones ramble, and the window is small. */
const mostOutputTokens = 1024;

/** A model file on this computer, answered by llama.cpp in the engine's own process. */
export function createLocalProvider({ engine, path, name, run, toolLevel, log }: LocalOptions): Provider {
  const wanted = (): LoadOptions => ({ path, ...run(), ...(toolLevel && { toolLevel }) });
  const told = new Set<string>();
  let model = wanted(); // as of the last opening: a turn is not moved to other settings in its middle
  return {
    async open(signal, onProgress) {
      const start = monotonicMs();
      model = wanted();
      const loaded = await engine.load(model, signal, onProgress);
      const { card, window } = loaded;
      log.info("model.opened", { key: card.key, window, ms: Math.round(monotonicMs() - start) });
      const notices = noticesOf(model, loaded, engine.state().steps).filter((text) => !told.has(text));
      for (const text of notices) told.add(text);
      return {
        key: card.key,
        name: name ?? card.name,
        window,
        maxOutputTokens: Math.min(mostOutputTokens, Math.floor(window / 4)),
        toolLevel: toolLevel ?? card.toolLevel,
        parameters: card.parameters,
        continues: "in-place",
        local: true,
        vision: false,
        ...(notices.length > 0 && { notices }),
      };
    },
    countTokens: (texts) => engine.count(texts, model),
    stream: (request, signal) => engine.chat(request, signal, model),
    close: () => engine.unload(path),
  };
}

const sentences: Record<LadderStep, (loaded: Loaded) => string> = {
  "fewer-layers": ({ layers, layersOnGpu, device }) =>
    `The model does not fit into the memory of ${device}: ${layersOnGpu} of its ${layers} layers are there, so it answers more slowly.`,
  cpu: () => "The model could not be run on the graphics card. It runs on the processor, more slowly.",
  "smaller-window": ({ window }) =>
    `The memory is short: the model sees ${window} tokens of the conversation at a time, fewer than the settings ask for.`,
};

/** What a person should know of how the model runs. */
function noticesOf({ run }: LoadOptions, loaded: Loaded, steps: readonly LadderStep[]): string[] {
  const isUsualCache = run?.cacheType === "q8_0" && loaded.cacheType === "f16";
  return [
    ...steps.map((step) => sentences[step](loaded)),
    ...(isUsualCache
      ? [
          "This model cannot have the smaller cache of the settings, so it has the usual one (it needs flash attention).",
        ]
      : []),
  ];
}
