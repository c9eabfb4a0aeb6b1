import { setTimeout as wait } from "node:timers/promises";
import { createApp } from "../../src/main/app.ts";
import { countWrites } from "./every-write.ts";
import { factsIn } from "./evidence.ts";
import type { Scene } from "./faults.ts";
import { aQuietStart, both, type Case, fine, type Harness, type HarnessOptions, runCases } from "./harness.ts";
import { judge, type Verdict } from "./invariants.ts";
import { aPerson, chat } from "./person.ts";
import { installTools, sceneModel } from "./scene.ts";

/** More than a whole turn with two follow-ups has. */
const EVENTS = 70;
/** How often a crash comes first, and the stop into its recovery. */
const CRASHES = 6;
const RECOVERY_EVENTS = 20;
/** What a tool does that does not listen, ms. */
const SLOW = 60;
/** A stop that takes longer has not been heard. */
const UNHEARD = 2_000;

/** Stop at each event of a turn, with tools that do not listen, in a recovery, and twice: heard at once, nothing lost. */
export const stops: Harness = async (workshop, options) => {
  const quiet = await aQuietStart(workshop);
  const writes = await countWrites(workshop, { task: "1", followUps: true });
  const took: number[] = [];
  const inTurn = Array.from(
    { length: EVENTS },
    (_, at): Case =>
      async () => {
        const scene = workshop.scene(quiet);
        const verdict = await stopAt(scene, { at: at + 1, task: "1", took, twice: at % 2 === 0 }, options);
        workshop.drop(scene);
        return verdict;
      },
  );
  const inRecovery = Array.from(
    { length: CRASHES * RECOVERY_EVENTS },
    (_, at): Case =>
      async () => {
        const scene = workshop.scene(quiet);
        const point = Math.round((writes * (1 + Math.floor(at / RECOVERY_EVENTS))) / (CRASHES + 1));
        await workshop.run({ ...scene, task: "1", followUps: true }, { fault: { mode: "kill-before", at: point } });
        const verdict = await stopAt(scene, { at: 1 + (at % RECOVERY_EVENTS), took, twice: at % 2 === 0 }, options);
        workshop.drop(scene);
        return verdict;
      },
  );
  const figure = () => {
    const sorted = took.toSorted((one, other) => one - other).map(Math.round);
    const slow = sorted.filter((ms) => ms > 200).length;
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return [
      `${sorted.length} stops heard: median ${median} ms, longest ${sorted.at(-1) ?? 0} ms, over 200 ms: ${slow}`,
    ];
  };
  return runCases("stops", [...inTurn, ...inRecovery], options, figure, 1); // alone: how long each takes is measured
};

interface StopPlan {
  /** The event at which the person stops. */
  readonly at: number;
  /** Absent: what a crash left is continued, and that is stopped. */
  readonly task?: string;
  readonly twice: boolean;
  /** How long each stop took, ms. */
  readonly took: number[];
}

async function stopAt(scene: Scene, { at, task, twice, took }: StopPlan, { defect }: HarnessOptions): Promise<Verdict> {
  installTools();
  const { dataFolder, workspace } = scene;
  const app = await createApp({ dataFolder, workspace, provider: sceneModel({ workspace, slowMs: SLOW, defect }) });
  try {
    const person = aPerson({ app, workspace, defect });
    let events = 0;
    let asked: number | undefined;
    app.bus.listen((event) => {
      if (event.type === "turn.started") asked = undefined; // no turn was there to hear the stop before it
      if (event.type === "turn.ended" && asked !== undefined) {
        took.push(performance.now() - asked);
        asked = undefined;
      }
      if (++events !== at || event.type === "turn.ended") return;
      asked = performance.now();
      person.stop();
      if (twice) person.stop();
    });
    if (task === undefined) await person.recover("continue");
    else {
      person.interject(task);
      person.sendTask(task);
    }
    const unheard = await Promise.race([app.idle().then(() => false), wait(UNHEARD, true)]);
    if (unheard) return { ...fine, lost: ["a stop that nobody heard"] };
    await wait(SLOW); // the tool that does not listen comes to its end: it may change nothing any more
    const found = judge(app.store, factsIn(workspace), "found");
    await person.recover("continue");
    person.sendTask("2");
    await app.idle();
    return both(both(found, waitingIn(app)), judge(app.store, factsIn(workspace), "settled"));
  } finally {
    await app.close();
  }
}

/** After the second task nothing waits: the drafts were sent, and answered. */
const waitingIn = (app: Parameters<typeof aPerson>[0]["app"]): Verdict => ({
  ...fine,
  lost: app.store.waiting(chat).map(({ text, state }) => `the turn for "${text}" (${state}), after a stop`),
});
