/**
 * The program that is broken: a whole app with the model and the tools of the scene, and a person who uses it by the plan
 * on the command line. It writes evidence into its workspace, and never decides what is right.
 */
import Sqlite from "better-sqlite3";
import type { TurnEvent } from "../../src/shared/events.ts";
import { note } from "./evidence.ts";
import type { Plan } from "./plan.ts";

const plan: Plan = JSON.parse(process.argv[2] ?? "{}");
const { workspace, defect } = plan;

/** Lares reads the clock through Date.now: it has to be another before the app is loaded. */
const realNow = Date.now;
let clockOffset = plan.clockOffset ?? 0;
Date.now = () => realNow() + clockOffset;

if (defect === "no sync") {
  const { pragma } = Sqlite.prototype;
  Sqlite.prototype.pragma = function (source, options) {
    if (source.startsWith("synchronous = ")) return pragma.call(this, "synchronous = 0");
    return source === "synchronous" ? 2 : pragma.call(this, source, options);
  };
}

const { createApp } = await import("../../src/main/app.ts");
const { installTools, sceneModel } = await import("./scene.ts");
const { aPerson, codeOf } = await import("./person.ts");

installTools();

/** A start that the disk refuses is tried again, as a person would. */
async function started(tries = 6): Promise<Awaited<ReturnType<typeof createApp>>> {
  try {
    return await createApp({ dataFolder: plan.dataFolder, workspace, provider: sceneModel(plan), waitMs: 2_000 });
  } catch (thrown) {
    note(workspace, { type: "refused", what: "start", code: codeOf(thrown) });
    if (tries === 1) throw thrown;
    return started(tries - 1);
  }
}

const app = await started();
const person = aPerson({ app, ...plan });

/** What the plan has for this event of the turn, by its number. */
let events = 0;
function onEvent(_event: TurnEvent): void {
  events += 1;
  if (plan.jump?.at === events) clockOffset += plan.jump.ms;
  if (plan.freezeAt === events) process.kill(process.pid, "SIGSTOP"); // the parent lets it go on
  if (plan.stopAt === events) person.stop();
}
app.bus.listen(onEvent);
process.stdout.write("ready\n");

if (plan.followUps) person.interject(plan.task ?? "");
if (plan.recover) await person.recover(plan.recover);
if (plan.task !== undefined) {
  for (let tries = plan.retries ?? 1; tries > 0 && !person.sendTask(plan.task); tries -= 1) await null;
  await app.idle();
}
/** After the fault has gone it works again, without a restart: at the second or third try at the latest. */
if (plan.afterwards !== undefined) {
  let completed = false;
  app.bus.listen((event) => {
    completed = event.type === "turn.ended" && event.stopReason === "completed";
  });
  for (let tries = 1; tries <= 5 && !completed; tries += 1) {
    if (person.sendTask(`${plan.afterwards}-${tries}`)) await app.idle();
  }
}
await app.close().catch((thrown: unknown) => note(workspace, { type: "refused", what: "close", code: codeOf(thrown) }));
process.stdout.write(`events ${events}\n`);
