import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "../support/seeded.ts";
import { factsIn, parseFacts } from "./evidence.ts";
import type { Scene, Workshop } from "./faults.ts";
import { aQuietStart, both, type Case, type Harness, judgeAtRest, reopened, runCases } from "./harness.ts";
import type { Plan } from "./plan.ts";
import { Disk, type Fate, fates, type LoggedCall, readWriteLog } from "./write-log.ts";

/** Of so many images one is also started and continued to its end. */
const STARTED = 25;

/** What was known outside at a moment: all of it was acknowledged before that. */
interface Recording {
  readonly before: Scene;
  readonly calls: readonly LoggedCall[];
}

/**
 * Power cuts: what the subject wrote is written down once, and every moment of it is turned into disks as a cut might
 * leave them. Each is opened and judged with what had been acknowledged by then.
 */
export const powerLoss: Harness = async (workshop, options) => {
  const recordings = await record(workshop, options);
  const images = recordings.flatMap(imagesOf);
  const cases = images.map(
    (image, at): Case =>
      () =>
        cutAt(workshop, image, { ...options, isStarted: at % STARTED === 0 }),
  );
  const figure = () => [`${recordings.map(({ calls }) => calls.length).join(" + ")} calls written down`];
  return runCases("power-loss", cases, options, figure);
};

/** Of a moment at which everything is confirmed there is one image; of any other several, as chance has it. */
function imagesOf(recording: Recording): Image[] {
  const disk = new Disk(recording.before.dataFolder);
  return recording.calls.flatMap((call, at): Image[] => {
    disk.take(call);
    if (call.operation === "mark") return [];
    const possible: readonly Fate[] = disk.unconfirmed === 0 ? ["none"] : fates;
    return possible.map((fate, variant) => ({ recording, cut: at + 1, fate, salt: at * fates.length + variant }));
  });
}

/** A turn with follow-ups, and the recovery from a kill in the middle of one. */
async function record(workshop: Workshop, { defect }: { defect?: Plan["defect"] }): Promise<Recording[]> {
  const quiet = await aQuietStart(workshop);
  const turn = await recordRun(workshop, quiet, { task: "1", followUps: true, defect });
  const killed = workshop.scene(quiet);
  const middle = Math.round(turn.calls.filter(({ operation }) => operation !== "mark").length / 2);
  await workshop.run({ ...killed, task: "1", followUps: true, defect }, { fault: { mode: "kill-before", at: middle } });
  const recovery = await recordRun(workshop, killed, { recover: "continue", defect });
  return [turn, recovery];
}

async function recordRun(workshop: Workshop, from: Scene, acts: Partial<Plan>): Promise<Recording> {
  const scene = workshop.scene(from);
  const before = workshop.scene(from);
  const out = join(scene.folder, "log");
  const { code, stderr } = await workshop.run({ ...scene, ...acts }, { fault: { mode: "log", out } });
  if (code !== 0) throw new Error(`The recorded run failed: ${stderr}`);
  const calls = readWriteLog(out).map((call) => ({ ...call, path: call.path.replace(scene.folder, before.folder) }));
  return { before, calls };
}

interface Image {
  readonly recording: Recording;
  /** So many calls had been made. */
  readonly cut: number;
  readonly fate: Fate;
  readonly salt: number;
}

async function cutAt(
  workshop: Workshop,
  { recording, cut, fate, salt }: Image,
  { seed, isStarted, defect }: { seed: number; isStarted: boolean; defect?: Plan["defect"] },
) {
  const { before, calls } = recording;
  const disk = new Disk(before.dataFolder);
  for (const call of calls.slice(0, cut)) disk.take(call);
  const scene = workshop.scene();
  cpSync(before.workspace, scene.workspace, { recursive: true });
  disk.leave(scene.dataFolder, fate, seeded(seed * 1_000_003 + salt));
  const marks = calls.slice(0, cut).flatMap(({ operation, bytes }) => (operation === "mark" ? [bytes] : []));
  const facts = [...factsIn(before.workspace), ...parseFacts(Buffer.concat(marks).toString("utf8"))];
  let verdict = judgeAtRest(scene.dataFolder, facts, "at rest");
  if (isStarted) {
    writeFileSync(join(scene.workspace, "evidence.jsonl"), facts.map((fact) => `${JSON.stringify(fact)}\n`).join(""));
    verdict = both(verdict, await reopened(scene, { defect }));
  }
  workshop.drop(scene);
  return verdict;
}
