import type { EngineState, ModelCard, ModelFacts } from "../../shared/views.ts";
import { createParts, type ModelDeskOptions } from "./desk-parts.ts";
import { gettingCalls } from "./getting.ts";
import { keepingCalls } from "./keeping.ts";
import { modelCards } from "./model-cards.ts";
import { wholeModel } from "./whole-model.ts";

export type { ModelDeskOptions } from "./desk-parts.ts";

/** The models of this computer, as a person sees and changes them. */
export function createModelDesk(options: ModelDeskOptions) {
  const parts = createParts(options);
  const { folder, catalogue, own, scale, engine, downloads, computer, settings, find } = parts;
  return {
    ...gettingCalls(parts),
    ...keepingCalls(parts),
    /** Also what the computer has: bytes. */
    async list(): Promise<{ models: ModelCard[]; memoryBytes: number }> {
      const chosen = await find(settings().model).then(
        ({ path }) => path,
        () => undefined, // it is not there: then none is chosen
      );
      const memoryBytes = computer().total;
      const models = await modelCards({
        ...{ folder, catalogue, own: own.paths(), chosen, memoryBytes, weigh: scale.weigh },
        fetchOf: (modelId) => downloads.get(modelId)?.state(),
        heldOf: (path) => engine.held(path),
      });
      return { models, memoryBytes };
    },
    /** A path, a file of the models folder or an id of the catalogue. Throws model-missing, model-invalid, … */
    async explain(wanted: string): Promise<ModelFacts> {
      return scale.explain((await wholeModel((await find(wanted)).path)).path);
    },
    engine: (): EngineState => engine.state(),
    unload: (): Promise<void> => engine.unload(),
    /** Pauses all downloads; resolves when each has let go of its part. */
    close: (): Promise<void> => parts.close(),
  };
}
