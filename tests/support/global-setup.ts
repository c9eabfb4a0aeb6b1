import { problemVariable, starterModel } from "./starter.ts";

/** Once, before any test: the starter model is on this computer. Without it only the tests that ask for it fail. */
export async function setup(): Promise<void> {
  await starterModel().catch((thrown: unknown) => {
    process.env[problemVariable] = String(thrown);
  });
}
