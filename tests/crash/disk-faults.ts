import { countWrites } from "./every-write.ts";
import { type Fact, factsIn } from "./evidence.ts";
import type { Ended, Fault } from "./faults.ts";
import { aQuietStart, both, type Case, fine, type Harness, reopened, runCases } from "./harness.ts";
import type { Verdict } from "./invariants.ts";

/** A short fault and one that also meets the attempt to tell of it. */
const faultsAt = (at: number): Fault[] => [
  { mode: "fail", at, calls: 1, error: "ENOSPC" },
  { mode: "fail", at, calls: 4, error: "ENOSPC" },
  { mode: "fail", at, calls: 1, error: "EIO" },
];

/** The disk is full, or fails, at each call of a turn: said by name, nothing lost, and it works again without a restart. */
export const diskFaults: Harness = async (workshop, options) => {
  const { defect } = options;
  const quiet = await aQuietStart(workshop);
  const plan = { task: "1", followUps: true, retries: 20, afterwards: "2" } as const;
  const writes = await countWrites(workshop, { task: "1", followUps: true });
  const codes = new Map<string, number>();
  const all = Array.from({ length: writes }, (_, at) => at + 1).flatMap((at) => {
    const syncs: Fault[] = at % 10 === 0 ? [{ mode: "fail", at: at / 10, calls: 1, error: "EIO", only: "sync" }] : [];
    return [...faultsAt(at), ...syncs].map(
      (fault): Case =>
        async () => {
          const scene = workshop.scene(quiet);
          const ended = await workshop.run({ ...scene, ...plan, defect }, { fault });
          const facts = factsIn(scene.workspace);
          for (const code of codesIn(facts)) codes.set(code, (codes.get(code) ?? 0) + 1);
          const verdict = both(worksAgain(facts, ended), await reopened(scene, { defect }));
          workshop.drop(scene);
          return verdict;
        },
    );
  });
  return runCases("disk-faults", all, options, () => [
    `${writes} calls that write; told ${[...codes].map(([code, times]) => `${code} ${times}`).join(", ") || "nothing"}`,
  ]);
};

const codesIn = (facts: readonly Fact[]): Set<string> =>
  new Set(facts.flatMap((fact) => ("code" in fact && fact.code !== "" ? [fact.code.replace(/:.*/, "")] : [])));

/** A task came after the fault: it was taken, and answered. */
function worksAgain(facts: readonly Fact[], { code, stderr, hung }: Ended): Verdict {
  if (hung) return { ...fine, corrupt: ["the app never came to rest after the fault"] };
  const refused = facts.some((fact) => fact.type === "refused" && fact.what === "start");
  if (code !== 0) return refused ? fine : { ...fine, corrupt: [`the app ended with ${code}: ${stderr.slice(0, 400)}`] };
  const last = facts.findLast((fact) => fact.type === "ended");
  const isAnswered = last?.type === "ended" && last.stopReason === "completed";
  return isAnswered ? fine : { ...fine, lost: ["every answer after the fault"] };
}
