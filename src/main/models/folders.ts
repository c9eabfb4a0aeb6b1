import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where the models of one Lares live. */
export const modelsFolder = (dataFolder: string): string => join(dataFolder, "models");

/**
 * Where models are shared by everything of this person that runs Lares: looked into before any download,
 * never written to by the app itself. LARES_MODEL_CACHE names another place.
 */
export function modelCacheFolder({ LARES_MODEL_CACHE, XDG_CACHE_HOME, HOME }: NodeJS.ProcessEnv): string {
  if (LARES_MODEL_CACHE) return LARES_MODEL_CACHE;
  return join(XDG_CACHE_HOME || (HOME ? join(HOME, ".cache") : tmpdir()), "lares", "models");
}
