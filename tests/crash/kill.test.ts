import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type App, createApp } from "../../src/main/app.ts";
import { brief } from "../support/agent.ts";
import { says, scriptedProvider } from "../support/scripted-provider.ts";
import { type KillPoint, killPoints, type LaterKillPoint } from "./kill-points.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lares-kill-"));
  folders.push(folder);
  return folder;
}

async function runDoomedApp(
  dataFolder: string,
  workspace: string,
  point: KillPoint | LaterKillPoint,
): Promise<string | null> {
  const script = join(import.meta.dirname, "doomed-app.ts");
  const child = spawn(process.execPath, [script, dataFolder, workspace, point], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let words = "";
  child.stderr.on("data", (data) => {
    words += data;
  });
  const [code, signal] = await once(child, "exit");
  if (signal !== "SIGKILL") throw new Error(`The app ended by itself (${code}) at "${point}": ${words}`);
  return signal;
}

const read = ['assistant complete: read_file({"path":"a.txt"})', "tool complete: content of a"];
const whole = "assistant complete: Once upon a time.";

const asked = "user pending: tell me";

/** What the session must show after the restart, before anything is decided. */
const expected: Record<KillPoint, readonly string[]> = {
  restore: [],
  compact: [],
  command: [],
  build: [],
  run: [asked],
  "one waits": [asked],
  "tool running": [asked, read[0] ?? ""],
  "tool finished": [asked, ...read],
  "once running": [asked, "assistant complete: send({})"],
  streaming: [asked, ...read, "assistant streaming: Once upon a time"],
  save: ["user complete: tell me", ...read, whole],
  respond: ["user complete: tell me", ...read, whole],
  done: ["user complete: tell me", ...read, whole],
};

/** And after the person has said: go on. */
const continued: Partial<Record<KillPoint, readonly string[]>> = {
  run: ["user complete: tell me", "assistant complete: Again."],
  "one waits": [
    "user complete: tell me",
    "assistant complete: Again.",
    "user complete: and then?",
    "assistant complete: Next.",
  ],
  "tool running": ["user complete: tell me", ...read, "assistant complete: Again."],
  "tool finished": ["user complete: tell me", ...read, "assistant complete: Again."],
  "once running": [
    "user complete: tell me",
    "assistant complete: send({})",
    "tool complete: The app was closed while this ran. The user has checked: it did happen. Do not do it again.",
    "assistant complete: Again.",
  ],
  streaming: ["user complete: tell me", ...read, "assistant complete: Once upon a timeAgain."],
};

/** A message whose turn had not stored it yet is a draft again; one that waited behind a turn waits. */
function waiting(point: KillPoint): string[] {
  if (point === "one waits") return ["accepted: and then?"];
  return expected[point].length === 0 ? ["draft: tell me"] : [];
}

describe("kill -9 of the app", () => {
  test.each(killPoints)("in %s: what was typed is there, nothing is doubled, the store is sound", async (point) => {
    const [dataFolder, workspace] = [aFolder(), aFolder()];
    writeFileSync(join(workspace, "a.txt"), "content of a");
    await runDoomedApp(dataFolder, workspace, point);

    const model = scriptedProvider([says("Again.")], { afterwards: says("Next.") });
    const app = await createApp({ dataFolder, workspace, provider: model });
    app.resume("s");
    await app.idle();
    const rows = () => app.store.page("s", { limit: 100 }).map(brief);
    expect(rows()).toEqual(expected[point]);
    expect(app.store.waiting("s").map(({ text, state }) => `${state}: ${text}`)).toEqual(waiting(point));
    expect(app.store.check()).toEqual([]);
    expect(app.store.unfinishedTurns()).toEqual([]);

    await decideAll(app);
    expect(rows()).toEqual(continued[point] ?? expected[point]);
    expect([app.store.recoveries(), app.store.check()]).toEqual([[], []]);

    app.bus.ask({ id: "m3", channel: "test", sessionId: "s", text: "and now?" });
    await app.idle();
    expect(rows().slice(-2)[0]).toBe("user complete: and now?");
    const roles = model.requests.at(-1)?.messages.map(({ role }) => role) ?? [];
    expect(roles.filter((role, at) => role === roles[at - 1])).toEqual([]); // the roles alternate: any provider takes it
    await app.close();
  });

  test.each<[KillPoint, LaterKillPoint]>([
    ["streaming", "reconciling"],
    ["tool running", "reconciling"],
    ["streaming", "going on"],
    ["tool finished", "going on"],
  ])("in %s, and again while it was %s: it waits, and then goes on with the same rows", async (point, later) => {
    const [dataFolder, workspace] = [aFolder(), aFolder()];
    writeFileSync(join(workspace, "a.txt"), "content of a");
    await runDoomedApp(dataFolder, workspace, point);
    await runDoomedApp(dataFolder, workspace, later);

    const app = await createApp({ dataFolder, workspace, provider: scriptedProvider([says("Again.")]) });
    const rows = () => app.store.page("s", { limit: 100 }).map(brief);
    expect(rows()).toEqual(expected[point]);
    expect(app.recovered).toMatchObject([{ what: "interrupted", mayGoOn: later === "reconciling" }]);
    await decideAll(app);
    expect(rows()).toEqual(continued[point]);
    expect([app.store.recoveries(), app.store.unfinishedTurns(), app.store.check()]).toEqual([[], [], []]);
    await app.close();
  });
});

/** What a person decides about all that was left: it goes on, and what may have happened has. */
async function decideAll({ desk, store, recovered, idle }: App): Promise<void> {
  const page = desk.connect({ kind: "window" }, () => undefined);
  const call = async (name: string, input: unknown) => expect(await page.call(name, input)).toMatchObject({ ok: true });
  for (const { turnId, what } of recovered) {
    if (what === "interrupted") await call("turns.continue", { turnId });
    if (what === "undelivered") await call("turns.dismiss", { turnId });
    if (what !== "unknown") continue;
    for (const { id: callId, state } of store.calls(turnId)) {
      if (state === "unknown") await call("calls.decide", { turnId, callId, decision: "happened" });
    }
  }
  await idle();
}
