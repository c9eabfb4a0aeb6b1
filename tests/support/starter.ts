import { starterEntry } from "../../src/main/models/catalogue.ts";
import { fetchModel } from "../../src/main/models/fetch-model.ts";
import { modelCacheFolder } from "../../src/main/models/folders.ts";
import { aDoor } from "./door.ts";

/** Set by global-setup when the starter model cannot be had, so that not every test file tries again. */
export const problemVariable = "LARES_STARTER_PROBLEM";

/**
 * Path of the starter model in the shared cache outside the clone, fetched by the app's own code when it is not there.
 * Any number of test processes may ask at once.
 */
export async function starterModel(): Promise<string> {
  const problem = process.env[problemVariable];
  if (problem) throw new Error(problem);
  const door = aDoor({ proxies: process.env });
  const signal = AbortSignal.timeout(15 * 60_000);
  return fetchModel(starterEntry(), { modelsFolder: modelCacheFolder(process.env), door, signal });
}
