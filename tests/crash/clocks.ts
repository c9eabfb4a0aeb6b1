import { factsIn } from "./evidence.ts";
import { aQuietStart, both, type Case, fine, type Harness, reopened, runCases } from "./harness.ts";
import type { Plan } from "./plan.ts";

const DAY = 86_400_000;
const jumps = [DAY, -DAY, 3_652 * DAY, -3_652 * DAY] as const;
/** About as many as a turn has; each is one state of it. */
const EVENTS = 60;
const STEP = 3;

/** The clock jumps, or the whole process stands still (as in a suspended computer), at many states: the turn goes on as if nothing were. */
export const clocks: Harness = async (workshop, options) => {
  const { defect } = options;
  const quiet = await aQuietStart(workshop);
  const states = Array.from({ length: EVENTS / STEP }, (_, at) => 1 + at * STEP);
  const plans = states.flatMap((at): Partial<Plan>[] => [
    { freezeAt: at },
    ...jumps.map((ms) => ({ jump: { at, ms } })),
  ]);
  const all = plans.map(
    (plan): Case =>
      async () => {
        const scene = workshop.scene(quiet);
        const { code, stderr, hung } = await workshop.run({
          ...scene,
          task: "1",
          followUps: true,
          pauseMs: 5,
          ...plan,
          defect,
        });
        const stumbled = factsIn(scene.workspace).some(
          (fact) => fact.type === "ended" && fact.stopReason !== "completed",
        );
        const broken = code !== 0 || stumbled;
        const ended = broken
          ? { ...fine, lost: [`the undisturbed end of the turn ${hung ? "(hung)" : stderr}`] }
          : fine;
        const verdict = both(ended, await reopened(scene, { defect }));
        workshop.drop(scene);
        return verdict;
      },
  );
  return runCases("clocks", all, options);
};
