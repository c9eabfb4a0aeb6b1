import type { CloudPreset, OfferedModel } from "../../shared/cloud.ts";
import { readNumber } from "../settings/number-range.ts";

/** A preset while it is written: all of it is text, as it was typed. */
export interface PresetDraft {
  readonly name: string;
  readonly model: string;
  readonly window: string;
  readonly maxOutputTokens: string;
  readonly temperature: string;
  readonly reasoning: CloudPreset["reasoning"] | "";
  readonly vision: boolean;
  readonly tools: boolean;
}

/** What numbers may be, as the schema of a preset has them. */
export const presetRanges = {
  window: { from: 1024, to: 10_000_000, isWhole: true },
  maxOutputTokens: { from: 16, to: 1_000_000, isWhole: true },
  temperature: { from: 0, to: 2, isWhole: false },
} as const;

/** Enough for most, and too much for hardly any. */
const UNKNOWN = { window: 32_768, maxOutputTokens: 4096 } as const;

export function draftOf(preset: CloudPreset | undefined): PresetDraft {
  const { window, maxOutputTokens } = preset ?? UNKNOWN;
  return {
    name: preset?.name ?? "",
    model: preset?.model ?? "",
    window: String(window),
    maxOutputTokens: String(maxOutputTokens),
    temperature: preset?.temperature === undefined ? "" : String(preset.temperature),
    reasoning: preset?.reasoning ?? "",
    vision: preset?.vision ?? false,
    tools: preset?.tools ?? true,
  };
}

/** The draft with another model; what its vendor tells of it is filled in. */
export function withModel(draft: PresetDraft, model: string, offered: readonly OfferedModel[]): PresetDraft {
  const known = offered.find(({ id }) => id === model);
  const wasNamed = draft.name !== "" && draft.name !== nameOf(draft.model, offered);
  return {
    ...draft,
    model,
    ...(!wasNamed && { name: nameOf(model, offered) }),
    ...(known?.window !== undefined && { window: String(known.window) }),
    ...(known?.maxOutputTokens !== undefined && { maxOutputTokens: String(known.maxOutputTokens) }),
    ...(known?.vision !== undefined && { vision: known.vision }),
    ...(known?.tools !== undefined && { tools: known.tools }),
  };
}

const nameOf = (model: string, offered: readonly OfferedModel[]): string =>
  (offered.find(({ id }) => id === model)?.name ?? model).slice(0, 80);

export type WrongField = "model" | keyof typeof presetRanges;

/** The preset, or which fields are wrong. */
export function presetFrom(
  draft: PresetDraft,
): { readonly wrong: readonly WrongField[] } | { readonly preset: Omit<CloudPreset, "id" | "connectionId"> } {
  const window = readNumber(draft.window, presetRanges.window);
  const maxOutputTokens = readNumber(draft.maxOutputTokens, presetRanges.maxOutputTokens);
  const temperature =
    draft.temperature.trim() === "" ? undefined : readNumber(draft.temperature, presetRanges.temperature);
  const model = draft.model.trim();
  if (model === "" || window === null || maxOutputTokens === null || temperature === null) {
    const wrong = { model: model === "", window: window === null, maxOutputTokens: maxOutputTokens === null };
    const names = Object.entries({ ...wrong, temperature: temperature === null }).filter(([, isWrong]) => isWrong);
    return { wrong: names.map(([field]) => field as WrongField) };
  }
  const { vision, tools, reasoning } = draft;
  return {
    preset: {
      name: draft.name.trim() || model.slice(0, 80),
      ...{ model, window, maxOutputTokens, vision, tools },
      ...(temperature !== undefined && { temperature }),
      ...(reasoning && { reasoning }),
    },
  };
}
