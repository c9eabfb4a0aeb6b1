import type { ModelDesk } from "./backend.ts";
import type { Client } from "./client.ts";
import type { Handlers } from "./serve.ts";

type ModelCalls = Extract<keyof Handlers<Client>, `models.${string}`>;

/** The models of this computer. */
export function modelHandlers(models: ModelDesk): Pick<Handlers<Client>, ModelCalls> {
  return {
    "models.list": () => models.list(),
    "models.fetch": async ({ modelId }) => {
      await models.fetch(modelId);
      return {};
    },
    "models.fetchFile": (file) => models.fetchFile(file),
    "models.pause": ({ modelId }) => {
      models.pause(modelId);
      return {};
    },
    "models.cancel": async ({ modelId }) => {
      await models.cancel(modelId);
      return {};
    },
    "models.remove": async ({ modelId }) => {
      await models.remove(modelId);
      return {};
    },
    "models.search": async ({ query }) => ({ files: await models.search(query) }),
    "models.explain": ({ path }) => models.explain(path),
    "models.add": (file) => models.add(file),
    "models.use": ({ model }) => models.use(model),
    "models.release": async ({ modelId, safer }) => {
      await models.release(modelId, safer);
      return {};
    },
    "models.engine": () => models.engine(),
    "models.unload": async () => {
      await models.unload();
      return {};
    },
  };
}
