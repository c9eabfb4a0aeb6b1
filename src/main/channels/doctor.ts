import type { ErrorCode } from "../../shared/errors.ts";
import { exitCodes } from "../../shared/exit-codes.ts";
import type { HealthItem, HealthReport } from "../../shared/health.ts";

const titles = {
  storage: "Storage",
  integrity: "Database",
  rows: "Messages",
  search: "Search",
  backup: "Backups",
  rescue: "Rescue",
  space: "Disk space",
  engine: "Engine",
} as const satisfies Record<HealthItem["id"], string>;

const states = {
  good: "good",
  attention: "see to it",
  bad: "bad",
  unknown: "not looked at",
} as const satisfies Record<HealthItem["state"], string>;

/** What to do: by what is wrong where that says more, else by what was looked at. */
const stepsByCode: Partial<Record<ErrorCode, string>> = {
  "disk-full": "Free some space on this disk.",
  "disk-error": "Check the disk, and copy the data folder to another one.",
  "data-read-only": "Allow Lares to write to its data folder.",
  "data-newer": "Install the newer Lares. Until then the chats can be read.",
  "data-busy": "Close the other program that uses the database.",
  "data-folder": "Check that LARES_HOME names the right folder, and that it can be read.",
};

const steps = {
  storage: "Start Lares again.",
  integrity: "Start Lares: a damaged file is set aside whole, and what can be read is brought over.",
  rows: "Start Lares: a damaged file is set aside whole, and what can be read is brought over.",
  search: "Start Lares and let it be for a minute: it makes search anew by itself.",
  backup: "Start Lares, and make a backup on its health page.",
  rescue: "Keep the damaged file until you are sure that nothing is missing.",
  space: "Free some space on this disk.",
  engine: "Choose another model.",
} as const satisfies Record<HealthItem["id"], string>;

/** What was looked at, when, what is wrong and what to do, as a terminal shows it. Ends in a line break. */
export function doctorText({ items, dataFolder, databaseBytes, messages, versions }: HealthReport): string {
  const { lares, schema, sqlite, node } = versions;
  return [
    `Data folder: ${dataFolder}`,
    `${messages} messages, ${(databaseBytes / 1e6).toFixed(1)} MB. Lares ${lares}, schema ${schema}, SQLite ${sqlite}, Node ${node}.`,
    "",
    ...items.flatMap(linesOf),
    "",
    doctorCode({ items }) === exitCodes.ok ? "Nothing is wrong with the data." : "Something is wrong: see above.",
    "",
  ].join("\n");
}

function linesOf({ id, state, at, code, details }: HealthItem): string[] {
  const when = at === undefined ? "" : `  (${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC)`;
  const isWrong = state === "attention" || state === "bad";
  const step = isWrong ? [`    To do: ${(code && stepsByCode[code]) ?? steps[id]}`] : [];
  return [`${titles[id].padEnd(12)}${states[state]}${when}`, ...details.map((line) => `    ${line}`), ...step];
}

/** 0: nothing is lost, nor will be. 4: there is trouble with the data. */
export const doctorCode = ({ items }: Pick<HealthReport, "items">): number =>
  items.some(({ state }) => state === "bad") ? exitCodes.data : exitCodes.ok;
