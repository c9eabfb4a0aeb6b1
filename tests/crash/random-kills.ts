import { seeded } from "../support/seeded.ts";
import { countWrites } from "./every-write.ts";
import type { Fault, RunOptions, Workshop } from "./faults.ts";
import { aQuietStart, type Case, type Harness, type HarnessOptions, reopened, runCases } from "./harness.ts";
import type { Plan } from "./plan.ts";

const CASES = 500;
const DEEPEST = 3;

/**
 * kill -9 at seeded moments: in the turn, then in the recovery from that, then in the recovery from that. Half of them at
 * a call that writes, half of them by the clock, which alone is not the same every time.
 */
export const randomKills: Harness = async (workshop, options) => {
  const writes = await countWrites(workshop, { task: "1", followUps: true });
  const quiet = await aQuietStart(workshop);
  const depths = [0, 0, 0, 0];
  const all = Array.from(
    { length: CASES },
    (_, at): Case =>
      async () => {
        const scene = workshop.scene(quiet);
        const depth = await killDeeper(workshop, { ...scene, seed: options.seed * 100_000 + at, writes }, options);
        depths[depth] = (depths[depth] ?? 0) + 1;
        const verdict = await reopened(scene, { again: at % 2 === 0, defect: options.defect });
        workshop.drop(scene);
        return verdict;
      },
  );
  const figure = () => [
    `died once ${depths[1]}, twice ${depths[2]}, three times ${depths[3]}, not at all ${depths[0]}`,
  ];
  return runCases("random-kills", all, options, figure);
};

interface Doomed extends Plan {
  readonly seed: number;
  readonly writes: number;
}

/** How often it died. */
async function killDeeper(workshop: Workshop, { seed, writes, ...plan }: Doomed, { defect }: HarnessOptions) {
  const random = seeded(seed);
  const pauseMs = random.chance(0.3) ? 20 : 0;
  const levels = random.between(1, DEEPEST);
  let died = 0;
  for (let level = 0; level < levels; level += 1) {
    const acts = level === 0 ? { task: "1", followUps: random.chance(0.7) } : { recover: "continue" as const };
    const { signal } = await workshop.run(
      { ...plan, ...acts, pauseMs, defect, again: random.chance(0.5) },
      moment(random, level === 0 ? writes : Math.ceil(writes / 3), pauseMs),
    );
    if (signal === "SIGKILL") died += 1;
  }
  return died;
}

function moment(random: ReturnType<typeof seeded>, writes: number, pauseMs: number): RunOptions {
  if (random.chance(0.5)) return { killAfterMs: random.between(0, pauseMs > 0 ? 250 : 60) };
  const mode: Fault["mode"] = random.chance(0.5) ? "kill-before" : "kill-after";
  return { fault: { mode, at: random.between(1, writes) } };
}
