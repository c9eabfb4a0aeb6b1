import { z } from "zod";
import { AppError, toWire, WireError } from "../../../shared/errors.ts";
import type { HealthItem } from "../../../shared/health.ts";
import type { Problem } from "../check.ts";
import type { Depth, Findings } from "./jobs.ts";

/** A look at the database, as it is remembered until a deeper or newer one takes its place. */
const Look = z.object({
  /** Epoch milliseconds. */
  at: z.number(),
  depth: z.enum(["quick", "whole", "full"]),
  problems: z.array(z.object({ code: z.string(), text: z.string() })),
  messages: z.number(),
  /** It could not be looked at. */
  error: WireError.optional(),
});
export type Look = z.infer<typeof Look>;

const depths: Readonly<Record<Depth, number>> = { quick: 0, whole: 1, full: 2 };

/** So many of each look are remembered and shown; how many there were is said. */
const SHOWN = 5;

export function toLook({ depth, problems, messages }: Findings, at: number): Look {
  return { at, depth, messages, problems: problems.map(({ code, text }) => ({ code, text })) };
}

/** A look that came to nothing. What does not even open is damaged like what was found to be. */
export function failedLook(error: AppError, depth: Depth, at: number): Look {
  const { code, message: text } = error;
  if (code === "data-damaged") return { at, depth, messages: 0, problems: [{ code: "structure", text }] };
  return { at, depth, messages: 0, problems: [], error: toWire(error) };
}

/** What is known after a new look: an older one that went deeper still says something. */
export const addLook = (looks: readonly Look[], look: Look): Look[] => [
  look,
  ...looks.filter(({ depth }) => depths[depth] > depths[look.depth]),
];

/** The setting that keeps them. */
export const LOOKS = "health.looks";

/** As the setting keeps them; nothing where it does not read. */
export function parseLooks(text: string | undefined): Look[] {
  try {
    return z.array(Look).parse(JSON.parse(text ?? "[]"));
  } catch {
    return []; // then it is looked again
  }
}

export const storedLooks = (looks: readonly Look[]): string =>
  JSON.stringify(looks.map((look) => ({ ...look, problems: look.problems.slice(0, 4 * SHOWN) })));

type Area = "integrity" | "rows" | "search";

/** Which part of the report a kind of damage belongs to. */
const areas: Readonly<Record<Problem["code"], Area>> = {
  structure: "integrity",
  reference: "integrity",
  message: "rows",
  chunk: "rows",
  turn: "rows",
  inbound: "rows",
  call: "rows",
  request: "rows",
  search: "search",
};

/** A rescue cannot be wrong about these. The others may also come of a mistake in Lares, which it would make again. */
const ofTheDisk: ReadonlySet<string> = new Set(["structure", "reference", "message"] satisfies Problem["code"][]);

/** Whether something was found that only a rescue mends, at the next start; after a recent one only where the disk did it. */
export const needsRescue = (looks: readonly Look[], { wasRescued = false } = {}): boolean =>
  looks.some(({ problems }) => problems.some(({ code }) => ofTheDisk.has(code) || (code !== "search" && !wasRescued)));
/** Damage that is mended by making the indexes anew. */
export const needsRebuild = ({ problems }: Look): boolean =>
  problems.length > 0 && problems.every(({ code }) => code === "search");

const lookedAt: Readonly<Record<Area, Readonly<Record<Depth, string>>>> = {
  integrity: {
    quick: "The structure of the database was looked through.",
    whole: "The structure of the database and every reference were looked through.",
    full: "The structure of the database and every reference were looked through.",
  },
  rows: {
    quick: "The newest messages are what was written.",
    whole: "Every message is what was written, and every accepted message is there once.",
    full: "Every message is what was written, and every accepted message is there once.",
  },
  search: { quick: "", whole: "", full: "What search finds was compared with every message." },
};

/** What the looks say of the database, its messages and search. */
export function lookItems(looks: readonly Look[]): HealthItem[] {
  return (["integrity", "rows", "search"] as const).map((area) => itemOf(area, looks));
}

function itemOf(id: Area, looks: readonly Look[]): HealthItem {
  const about = looks.filter((look) => lookedAt[id][look.depth] !== "" || problemsIn(id, look).length > 0);
  const [newest] = about;
  if (!newest) return { id, state: "unknown", details: [] };
  const { at, depth, error } = newest;
  if (error && id !== "integrity") return { id, state: "unknown", details: [] };
  if (error) return { id, state: "bad", at, code: error.code, details: [error.message] };
  const problems = [...new Set(about.flatMap((look) => problemsIn(id, look)))];
  if (problems.length === 0) return { id, state: "good", at, details: [lookedAt[id][depth]] };
  const more = problems.length > SHOWN ? [`And ${problems.length - SHOWN} more.`] : [];
  const state = id === "search" ? "attention" : "bad";
  return { id, state, at, code: damage.code, details: [...problems.slice(0, SHOWN), ...more] };
}

const damage = new AppError("data-damaged", "");

const problemsIn = (area: Area, { problems }: Look): string[] =>
  problems.flatMap(({ code, text }) => (areas[code as Problem["code"]] === area ? [text] : []));
