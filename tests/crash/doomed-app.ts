/** A whole app with a scripted model that kills itself (SIGKILL) at the point named on the command line. */
import { join } from "node:path";
import { reconcile } from "../../src/main/agent/recovery.ts";
import { createApp } from "../../src/main/app.ts";
import { createStore } from "../../src/main/db/store.ts";
import { tools } from "../../src/main/tools/index.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import { aTool } from "../support/agent.ts";
import { calls, says, scriptedProvider } from "../support/scripted-provider.ts";
import type { KillPoint, LaterKillPoint } from "./kill-points.ts";

type Point = KillPoint | LaterKillPoint;
const [dataFolder = "", workspace = "", point = ""] = process.argv.slice(2) as [string, string, Point];
const die = () => process.kill(process.pid, "SIGKILL");

/** The state whose trace entry has just been stored when the app dies: it dies in the one after it. */
const killAfter: Partial<Record<KillPoint, string>> = {
  compact: "restore",
  command: "compact",
  build: "command",
  run: "build",
  "one waits": "build",
  save: "run",
  respond: "save",
};

function isTheMoment(event: TurnEvent): boolean {
  if (point === "going on") return event.type === "turn.started" && event.continued === true;
  if (point === "restore") return event.type === "turn.started";
  if (point === "tool running") return event.type === "tool" && event.phase === "start";
  if (point === "tool finished") return event.type === "tool" && event.phase === "end";
  if (point === "done") return event.type === "turn.ended";
  return event.type === "state" && event.state === killAfter[point as KillPoint];
}

const model = scriptedProvider([
  calls(point === "once running" ? { name: "send", input: {} } : { name: "read_file", input: { path: "a.txt" } }),
  [
    { type: "text", text: "Once upon " },
    { type: "text", text: "a time" },
    { wait: 400 },
    ...dieWhileStreaming(),
    ...says("."),
  ],
]);

function dieWhileStreaming() {
  return point === "streaming" ? [() => void die()] : [];
}

const neverBack = () => {
  die();
  return new Promise<never>(() => undefined);
};
const send = aTool("send", neverBack, { class: "once" });

/** Half of what a start does to the turns that the last run left. */
if (point === "reconciling") {
  const store = createStore(join(dataFolder, "lares.db"));
  const endTurn: typeof store.endTurn = (id, end) => {
    store.endTurn(id, end);
    die();
  };
  reconcile({ ...store, endTurn }, Date.now());
}

const app = await createApp({ dataFolder, workspace, provider: model, tools: [...tools, send] });
app.bus.listen((event) => {
  if (isTheMoment(event)) die();
});
if (point === "going on") {
  const page = app.desk.connect({ kind: "window" }, () => undefined);
  for (const { turnId } of app.recovered) await page.call("turns.continue", { turnId });
  await app.idle();
}
app.bus.ask({ id: "m1", channel: "test", sessionId: "s", text: "tell me" });
if (point === "one waits") app.bus.ask({ id: "m2", channel: "test", sessionId: "s", text: "and then?" });
await app.idle();
await app.close();
