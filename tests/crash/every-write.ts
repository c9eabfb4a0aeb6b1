import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Workshop } from "./faults.ts";
import { aQuietStart, type Case, type Harness, reopened, runCases } from "./harness.ts";

const NAME = "every-write";

/** How often the subject writes in an undisturbed run of this plan. */
export async function countWrites(workshop: Workshop, plan: { task?: string; followUps?: boolean }): Promise<number> {
  const scene = workshop.scene(await aQuietStart(workshop));
  const out = join(workshop.root, "count");
  const { code, stderr } = await workshop.run({ ...scene, ...plan }, { fault: { mode: "count", out } });
  if (code !== 0) throw new Error(`The undisturbed run failed: ${stderr}`);
  const lines = readFileSync(out, "utf8").trim().split("\n");
  return lines.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0);
}

/** kill -9 before and after each call that changes the data folder, in a start, a turn with three tools and follow-ups, and a close. */
export const everyWrite: Harness = async (workshop, options) => {
  const { defect } = options;
  const quiet = await aQuietStart(workshop);
  const plan = { task: "1", followUps: true } as const;
  const writes = await countWrites(workshop, plan);
  let killed = 0;
  const all = Array.from({ length: writes }, (_, at) => at + 1).flatMap((at) =>
    (["kill-before", "kill-after"] as const).map(
      (mode): Case =>
        async () => {
          const scene = workshop.scene(quiet);
          const { signal } = await workshop.run({ ...scene, ...plan, defect }, { fault: { mode, at } });
          if (signal === "SIGKILL") killed += 1;
          const verdict = await reopened(scene, { again: at % 2 === 0, defect });
          workshop.drop(scene);
          return verdict;
        },
    ),
  );
  return runCases(NAME, all, options, () => [`${writes} calls that write, ${killed} killed`]);
};
