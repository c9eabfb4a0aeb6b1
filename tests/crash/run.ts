import { parseArgs } from "node:util";
import { runDamage } from "./damage.ts";
import { aWorkshop, whyNot } from "./faults.ts";
import type { Harness, HarnessOptions, Row } from "./harness.ts";
import { harnesses } from "./harnesses.ts";
import { runReloads } from "./reloads.ts";

const columns = ["harness", "cases", "lost", "doubled", "corrupt", "seconds"] as const;

/** `npm run test:crash`: every harness in full. Exit code 1 when anything was lost, doubled or corrupt, or could not run. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      case: { type: "string" },
      seed: { type: "string" },
      cases: { type: "string" },
    },
  });
  const reason = whyNot();
  if (reason !== undefined) return complain(`The crash harnesses cannot run here (${reason}).`);
  const all = [...harnesses, ...guests];
  const chosen = all.filter(({ name }) => values.only === undefined || values.only === name);
  if (chosen.length === 0) return complain(`--only takes ${all.map(({ name }) => name).join(", ")}.`);
  const options: HarnessOptions = {
    seed: Number(values.seed ?? Date.now() % 1_000_000),
    cases: values.cases === undefined ? undefined : Number(values.cases),
    only: values.case === undefined ? undefined : Number(values.case),
  };
  const workshop = aWorkshop();
  const rows: (Row & { seconds: number })[] = [];
  try {
    for (const { run } of chosen) {
      const start = performance.now();
      const row = { ...(await run(workshop, options)), seconds: Math.round((performance.now() - start) / 1000) };
      rows.push(row);
      process.stderr.write(`${row.name}: ${row.notes.join("\n  ")}\n`);
    }
  } finally {
    workshop.leave();
  }
  process.stdout.write(`\n${table(rows)}\nseed ${options.seed}\n`);
  return rows.some(({ lost, doubled, corrupt }) => lost + doubled + corrupt > 0) ? 1 : 0;
}

/** Harnesses of other kinds, which need no faults. */
const guests: ReadonlyArray<{ name: string; run: Harness }> = [
  { name: "damage", run: (_, options) => runDamage(options) },
  { name: "reloads", run: (_, { seed, cases, only }) => runReloads({ seed, cases, only }) },
];

function complain(words: string): number {
  process.stderr.write(`${words}\n`);
  return 1;
}

function table(rows: ReadonlyArray<Row & { seconds: number }>): string {
  const lines = rows.map((row) => [row.name, row.cases, row.lost, row.doubled, row.corrupt, row.seconds]);
  return [columns, ...lines]
    .map((line) => line.map((cell, at) => (at === 0 ? String(cell).padEnd(14) : String(cell).padStart(9))).join(""))
    .join("\n");
}

process.exitCode = await main();
