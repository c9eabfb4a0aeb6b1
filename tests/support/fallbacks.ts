import type { Models } from "../../src/main/agent/turn.ts";
import { AppError, type ErrorCode } from "../../src/shared/errors.ts";
import type { ModelInfo } from "../../src/shared/inference.ts";
import { type anAgent, modelsOf } from "./agent.ts";
import { type ScriptedProvider, type ScriptStep, scriptedProvider } from "./scripted-provider.ts";

/** What a model that cannot answer does. */
export const failure = (code: ErrorCode): ScriptStep[] => [new AppError(code, `It is ${code}.`)];

/** A model by its name. When its script is at its end it has no room. */
export function aModel(name: string, script: ReadonlyArray<readonly ScriptStep[]>, info: Partial<ModelInfo> = {}) {
  return scriptedProvider(script, { info: { name, key: name, ...info }, afterwards: failure("overloaded") });
}

/** A session's own model and those that may be asked instead, by the names in the settings. */
export function models(own: ScriptedProvider, others: Record<string, ScriptedProvider | AppError>, allowed?: string[]) {
  const provider: Models["provider"] = async ({ model }) => {
    const found = model === undefined ? own : others[model];
    if (found instanceof AppError) throw found;
    if (!found) throw new AppError("model-missing", `There is no ${model}.`);
    return found;
  };
  return { ...modelsOf(own), provider, fallbacks: () => allowed ?? Object.keys(others) };
}

export const noticesOf = ({ events }: ReturnType<typeof anAgent>) =>
  events.flatMap((event) => (event.type === "notice" ? [[event.code, event.text]] : []));
/** Who was asked in a turn, and how it ended. */
export const askedOf = ({ store }: ReturnType<typeof anAgent>, turnId: string) =>
  store.requests(turnId).map(({ model, error }) => `${model.name} ${error?.code ?? "ok"}`);
