import { Settings } from "../../shared/settings.ts";

export type NumberSetting =
  | "contextTokens"
  | "maxOutputTokens"
  | "temperature"
  | "goalIterations"
  | "goalTokens"
  | "goalMinutes";

export interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly isWhole: boolean;
}

/** What a setting may be, as its schema has it. */
export function rangeOf(setting: NumberSetting): NumberRange {
  const { minValue, maxValue, format } = Settings.shape[setting].unwrap();
  return { from: minValue ?? 0, to: maxValue ?? 0, isWhole: format === "safeint" };
}

/** The number that was typed, if the setting may be that. Spaces and thousands signs are how people write numbers. */
export function readNumber(typed: string, { from, to, isWhole }: NumberRange): number | null {
  const plain = isWhole ? typed.replace(/[\s,.'’_]/gu, "") : typed.trim().replace(",", ".");
  const value = plain === "" ? Number.NaN : Number(plain);
  const isAllowed = value >= from && value <= to && (!isWhole || Number.isInteger(value));
  return isAllowed ? value : null;
}
