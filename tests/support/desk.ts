import { onTestFinished } from "vitest";
import type { Shell } from "../../src/shared/bridge.ts";
import { textOf } from "../../src/shared/message.ts";
import type { TurnView } from "../../src/shared/views.ts";
import { anApp, aPage } from "./page.ts";
import { type ScriptStep, scriptedProvider } from "./scripted-provider.ts";

/** The whole app with a scripted model and one page; closed when the test is over. */
export async function aDesk(script: ReadonlyArray<readonly ScriptStep[]> = [], shell?: Shell) {
  const model = scriptedProvider(script);
  const app = await anApp(model);
  onTestFinished(() => app.close());
  return { app, model, page: aPage(app.desk, shell) };
}

/** What a person reads of a turn. */
export const answerOf = ({ rows }: TurnView): string =>
  rows
    .filter(({ role, kind }) => role === "assistant" && kind === "chat")
    .map(({ parts }) => textOf(parts))
    .join("|");

/** A step of a script that waits until a test lets it go on. */
export function aGate() {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<void>();
  const step: ScriptStep = () => {
    reached.resolve();
    return promise;
  };
  return { step, reached: reached.promise, open: () => resolve(undefined) };
}
