import { type Seeded, seeded } from "../support/seeded.ts";
import { countWrites } from "./every-write.ts";
import type { RunOptions } from "./faults.ts";
import { aQuietStart, type Case, fine, type Harness, reopened, runCases } from "./harness.ts";
import type { Plan } from "./plan.ts";

const SEQUENCES = 200;
const DAY = 86_400_000;

/** Any order of tasks, follow-ups, stops, clock jumps, full disks, kills and restarts: what was acknowledged is there once. */
export const mixes: Harness = async (workshop, options) => {
  const writes = await countWrites(workshop, { task: "1", followUps: true });
  const quiet = await aQuietStart(workshop);
  const all = Array.from(
    { length: SEQUENCES },
    (_, at): Case =>
      async () => {
        const random = seeded(options.seed * 1_000_000 + at);
        const scene = workshop.scene(quiet);
        const acts = random.between(2, 5);
        for (let act = 1; act <= acts; act += 1) {
          const plan = { ...scene, ...anAct(random, act), defect: options.defect };
          const { hung } = await workshop.run(plan, aFault(random, writes));
          if (hung) return { ...fine, corrupt: [`act ${act} never came to rest: ${JSON.stringify(plan)}`] };
        }
        const verdict = await reopened(scene, { again: random.chance(0.5), defect: options.defect });
        workshop.drop(scene);
        return verdict;
      },
  );
  return runCases("mixes", all, options);
};

function anAct(random: Seeded, act: number): Partial<Plan> {
  const habits = ["continue", "continue", "dismiss", "look"] as const;
  return {
    task: random.chance(0.8) ? String(act) : undefined,
    followUps: random.chance(0.6),
    recover: random.pick(habits),
    again: random.chance(0.5),
    retries: 3,
    pauseMs: random.chance(0.2) ? 5 : 0,
    stopAt: random.chance(0.3) ? random.between(1, 60) : undefined,
    clockOffset: random.chance(0.2) ? random.between(-3_652, 3_652) * DAY : 0,
    jump: random.chance(0.2) ? { at: random.between(1, 60), ms: random.between(-DAY, DAY) } : undefined,
  };
}

function aFault(random: Seeded, writes: number): RunOptions {
  const at = random.between(1, writes);
  return random.pick<RunOptions>([
    {},
    { fault: { mode: "kill-before", at } },
    { fault: { mode: "kill-after", at } },
    { killAfterMs: random.between(0, 80) },
    { fault: { mode: "fail", at, calls: random.between(1, 6), error: "ENOSPC" } },
    { fault: { mode: "fail", at, calls: 1, error: "EIO" } },
  ]);
}
