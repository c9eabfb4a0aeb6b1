import { join } from "node:path";
import { createApp } from "../../src/main/app.ts";
import { createStore } from "../../src/main/db/store.ts";
import { type Fact, factsIn } from "./evidence.ts";
import type { Scene, Workshop } from "./faults.ts";
import { judge, type Stage, type Verdict } from "./invariants.ts";
import { aPerson, type Habit } from "./person.ts";
import { type Defect, installTools, sceneModel } from "./scene.ts";

export interface HarnessOptions {
  readonly seed: number;
  /** So many cases, spread evenly, where there are more; absent: all, or the number of the specification. */
  readonly cases?: number | undefined;
  /** Of this stretch of all cases, in shares: 0 is the first, 1 the last. */
  readonly within?: readonly [number, number] | undefined;
  /** Only this one. */
  readonly only?: number | undefined;
  readonly defect?: Defect | undefined;
}

/** One line of the table. */
export interface Row {
  readonly name: string;
  readonly cases: number;
  readonly lost: number;
  readonly doubled: number;
  readonly corrupt: number;
  /** What was measured, and for each case that failed what was wrong and how to run it again. */
  readonly notes: readonly string[];
}

export type Harness = (workshop: Workshop, options: HarnessOptions) => Promise<Row>;

/** A case says what it found; `note` is a figure worth keeping. */
export type Case = () => Promise<Verdict>;

export const fine: Verdict = { lost: [], doubled: [], corrupt: [], unstored: 0 };

export const both = (one: Verdict, other: Verdict): Verdict => ({
  lost: [...one.lost, ...other.lost],
  doubled: [...one.doubled, ...other.doubled],
  corrupt: [...one.corrupt, ...other.corrupt],
  unstored: Math.max(one.unstored, other.unstored),
});

/** Runs the cases, two at a time if nothing else is said, and adds them up. A case that throws counts as corrupt: it could not be judged. */
export async function runCases(
  name: string,
  all: readonly Case[],
  { seed, cases = all.length, within, only, defect }: HarnessOptions,
  figures: () => readonly string[] = () => [],
  lanes = 2,
): Promise<Row> {
  const chosen = only === undefined ? spread(all.length, cases, within) : [only];
  const verdicts = new Map<number, Verdict>();
  const left = [...chosen];
  const worker = async () => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) verdicts.set(at, await verdictOf(all[at]));
  };
  await Promise.all(Array.from({ length: lanes }, worker));
  const list = [...verdicts.values()];
  const count = (kind: "lost" | "doubled" | "corrupt") => list.reduce((sum, verdict) => sum + verdict[kind].length, 0);
  const again = (at: number) => `again: npm run test:crash -- --only ${name} --case ${at} --seed ${seed}`;
  const failed = [...verdicts].filter(
    ([, { lost, doubled, corrupt }]) => lost.length + doubled.length + corrupt.length > 0,
  );
  return {
    name,
    cases: chosen.length,
    lost: count("lost"),
    doubled: count("doubled"),
    corrupt: count("corrupt"),
    notes: [
      ...figures(),
      `most text not stored ${Math.max(0, ...list.map(({ unstored }) => unstored))} characters`,
      ...(defect ? [`planted: ${defect}`] : []),
      ...failed.slice(0, 10).map(([at, verdict]) => `case ${at}: ${wordsOf(verdict)}; ${again(at)}`),
    ],
  };
}

/** Numbers 0 … all-1, or `cases` of them, spread evenly over a stretch. */
function spread(all: number, cases: number, [from, to]: readonly [number, number] = [0, 1]): number[] {
  const first = Math.floor(from * all);
  const length = Math.floor(to * all) - first;
  const taken = Math.min(cases, length);
  return Array.from({ length: taken }, (_, at) => first + Math.floor((at * length) / taken));
}

async function verdictOf(one: Case | undefined): Promise<Verdict> {
  try {
    return (await one?.()) ?? { ...fine, corrupt: ["there is no such case"] };
  } catch (thrown) {
    return { ...fine, corrupt: [`it broke off: ${thrown instanceof Error ? thrown.stack : thrown}`] };
  }
}

const wordsOf = ({ lost, doubled, corrupt }: Verdict): string =>
  [
    ...lost.map((what) => `lost: ${what}`),
    ...doubled.map((what) => `doubled: ${what}`),
    ...corrupt.map((what) => `corrupt: ${what}`),
  ].join(", ");

interface RecoverOptions {
  readonly habit?: Habit;
  readonly again?: boolean;
  readonly defect?: Defect | undefined;
  readonly settled?: boolean;
}

/**
 * What a person finds after the crash: judged as the start leaves it, and once more when all that was left is decided
 * and has come to its end.
 */
export async function reopened(scene: Scene, options: RecoverOptions = {}): Promise<Verdict> {
  const { habit = "continue", again = false, defect, settled = habit === "continue" } = options;
  installTools();
  const { dataFolder, workspace } = scene;
  const app = await createApp({ dataFolder, workspace, provider: sceneModel({ workspace, defect }), waitMs: 10_000 });
  try {
    const found = judge(app.store, factsIn(workspace), "found");
    await aPerson({ app, workspace, again, defect }).recover(habit);
    return both(found, judge(app.store, factsIn(workspace), settled ? "settled" : "found"));
  } finally {
    await app.close();
  }
}

/** The store as it lies there, without an app over it. */
export function judgeAtRest(dataFolder: string, facts: readonly Fact[], stage: Stage): Verdict {
  const store = createStore(join(dataFolder, "lares.db"));
  try {
    return judge(store, facts, stage);
  } finally {
    store.close();
  }
}

/** A data folder as it is after a first, quiet start: the beginning of every case. */
export async function aQuietStart(workshop: Workshop): Promise<Scene> {
  const scene = workshop.scene();
  await workshop.run(scene);
  return scene;
}
