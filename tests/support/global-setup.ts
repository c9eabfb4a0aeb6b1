import { builtApp } from "./built-app.ts";
import { problemVariable, starterModel } from "./starter.ts";

/**
 * Once, before any test: the page and the main process are built, and the starter model is on this computer. Without
 * the model only the tests that ask for it fail.
 */
export async function setup(): Promise<void> {
  await builtApp();
  await starterModel().catch((thrown: unknown) => {
    process.env[problemVariable] = String(thrown);
  });
}
