import { z } from "zod";
import { call } from "./ipc-call.ts";
import { EngineState, HubFile, ModelCard, ModelFacts } from "./views.ts";

const nothing = z.strictObject({});
const model = z.strictObject({ modelId: z.string().max(200) });
const file = z.strictObject({ path: z.string().min(1).max(4096) });

/** The models of this computer: getting them, looking at them, running them. */
export const modelsContract = {
  "models.list": call(nothing, z.object({ models: z.array(ModelCard), memoryBytes: z.number() })),
  /** Starts, or goes on where a pause left off. In Local mode this click lets this one download out. */
  "models.fetch": call(model, nothing),
  /** A file of the hub that a search found; it has an id of its own from then on. */
  "models.fetchFile": call(
    z.strictObject({ repository: z.string().max(200), file: z.string().max(300) }),
    z.object({ modelId: z.string() }),
  ),
  "models.pause": call(model, nothing),
  /** Throws away what came. */
  "models.cancel": call(model, nothing),
  /** The file of the models folder is gone; one that is used in place elsewhere only leaves the list. */
  "models.remove": call(z.strictObject({ modelId: z.string().max(4096) }), nothing),
  /** By name. Throws local-mode. */
  "models.search": call(
    z.strictObject({ query: z.string().trim().min(1).max(200) }),
    z.object({ files: z.array(HubFile) }),
  ),
  /** What a .gguf file says of itself; read in a child. Throws model-invalid and the like. */
  "models.explain": call(file, ModelFacts),
  /** Uses a file where it is, or a copy of it in the models folder. */
  "models.add": call(
    z.strictObject({ path: z.string().min(1).max(4096), copy: z.boolean() }),
    z.object({ modelId: z.string() }),
  ),
  /** A catalogue id, a file of the models folder, or the path of a .gguf file: what a new chat uses from now on. */
  "models.use": call(z.strictObject({ model: z.string().min(1).max(4096) }), z.object({ name: z.string() })),
  /** Lets one be tried again that is held back; `safer`: on the processor, with a small window. */
  "models.release": call(z.strictObject({ modelId: z.string().max(4096), safer: z.boolean() }), nothing),
  "models.engine": call(nothing, EngineState),
  "models.unload": call(nothing, nothing),
};
