/** What a figure has to reach to be good. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** One line of the table, and one entry of the file that `--json` writes. */
export interface Figure {
  readonly name: string;
  /** Null where it could not be measured: the name says what was missing. */
  readonly value: number | null;
  readonly unit: string;
  /** As people read it, `≤ 30`; null for what is only told. */
  readonly goal: string | null;
  /** Null without a goal or without a value. */
  readonly ok: boolean | null;
}

/** Figures that are measured together. */
export interface Group {
  /** What `--only` calls it. */
  readonly name: string;
  measure(): Promise<Figure[]>;
}

/** A ratio of two measures of one run: it may be compared with other machines. */
export const ratio = "ratio";
/** Another machine, or this one under another load, has other numbers. */
export const machineMs = "ms (this machine)";
export const machineMb = "MB (this machine)";

export function figure(name: string, value: number | null, unit: string, goal?: Goal): Figure {
  if (!goal) return { name, value, unit, goal: null, ok: null };
  const most = "atMost" in goal;
  const limit = most ? goal.atMost : goal.atLeast;
  const reached = value !== null && (most ? value <= limit : value >= limit);
  return { name, value, unit, goal: `${most ? "≤" : "≥"} ${limit}`, ok: value === null ? null : reached };
}

/** The value that a share (0 to 1) of the values does not exceed, between two of them where it falls there. Throws on nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const low = sorted[Math.floor(place)];
  const high = sorted[Math.ceil(place)];
  if (low === undefined || high === undefined) throw new Error("Nothing was measured.");
  return low + (high - low) * (place % 1);
}

/** The largest one; of nothing it is no number that any goal allows. */
export const longest = (values: readonly number[]): number => (values.length === 0 ? Number.NaN : Math.max(...values));

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** Figures as a table for a terminal, a line each. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, goal, ok }) => [
    name,
    value === null ? "not given" : shortNumber(value),
    unit,
    goal ?? "",
    ok === null ? "" : ok ? "yes" : "NO",
  ]);
  const table = [["name", "value", "unit", "goal", "ok"], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (at === 1 ? cell.padStart(widths[1] ?? 0) : cell.padEnd(widths[at] ?? 0)));
  return table.map((row) => line(row).join("  ").trimEnd()).join("\n");
}

const shortNumber = (value: number): string =>
  Number.isInteger(value) || Math.abs(value) >= 100 ? String(Math.round(value)) : value.toPrecision(3);
