import { conformanceCases } from "./cases.ts";
import type { Outcome } from "./talk.ts";
import { standIns } from "./vendors.ts";

const marks: Readonly<Record<Outcome, string>> = { passed: "✓", failed: "✗", none: "–" };

/** Provider × case as Markdown; a case that was not run is a gap. */
export function conformanceTable(outcomes: ReadonlyMap<string, Outcome>): string {
  const head = ["case", ...standIns.map(({ name }) => name)];
  const rows = conformanceCases.map(({ name }) => [
    name,
    ...standIns.map((vendor) => marks[outcomes.get(`${vendor.name}/${name}`) ?? "failed"]),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? "---" : ":-:"))), ...rows.map(line), ""].join("\n");
}
