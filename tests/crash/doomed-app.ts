/** A whole app with a scripted model that kills itself (SIGKILL) at the point named on the command line. */
import { createApp } from "../../src/main/app.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import { calls, says, scriptedProvider } from "../support/scripted-provider.ts";
import type { KillPoint } from "./kill-points.ts";

const [dataFolder = "", workspace = "", point = ""] = process.argv.slice(2) as [string, string, KillPoint];
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
  if (point === "restore") return event.type === "turn.started";
  if (point === "tool running") return event.type === "tool" && event.phase === "start";
  if (point === "tool finished") return event.type === "tool" && event.phase === "end";
  if (point === "done") return event.type === "turn.ended";
  return event.type === "state" && event.state === killAfter[point as KillPoint];
}

const model = scriptedProvider([
  calls({ name: "read_file", input: { path: "a.txt" } }),
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

const app = await createApp({ dataFolder, workspace, provider: model });
app.bus.listen((event) => {
  if (isTheMoment(event)) die();
});
app.bus.ask({ id: "m1", channel: "test", sessionId: "s", text: "tell me" });
if (point === "one waits") app.bus.ask({ id: "m2", channel: "test", sessionId: "s", text: "and then?" });
await app.idle();
await app.close();
