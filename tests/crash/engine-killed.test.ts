import { beforeAll, expect, test } from "vitest";
import { createApp } from "../../src/main/app.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import { enginesOf } from "../app/lares.ts";
import { brief } from "../support/agent.ts";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";

let model = "";
beforeAll(async () => {
  model = await starterModel();
}, 600_000);

const kill = (pid: number | undefined) => pid !== undefined && process.kill(pid, "SIGKILL");

test("kill -9 of the engine in the middle of an answer: the app goes on, what was written is kept, the next message is answered", async () => {
  const app = await createApp({ dataFolder: temporaryFolder(), workspace: temporaryFolder(), chosen: model });
  const events: TurnEvent[] = [];
  const deltas = () => events.flatMap((event) => (event.type === "delta" ? [event.text] : []));
  app.bus.listen((event) => {
    events.push(event);
    if (event.type === "delta" && deltas().length === 3) kill(app.engine.pid);
  });
  const ask = async (id: string, text: string) => {
    app.bus.ask({ id, channel: "test", sessionId: "s", text });
    await app.idle();
    return events.at(-1);
  };
  const first = await ask("m1", "Write a long story about a ship, a storm and a lighthouse.");
  const half = deltas().join("");
  expect(half.length).toBeGreaterThan(0);
  expect(first).toMatchObject({
    type: "turn.ended",
    stopReason: "error",
    text: half,
    error: { code: "engine-crashed", message: expect.stringMatching(/SIGKILL.*started again with your next message/) },
  });
  expect(app.engine.pid).toBeUndefined();

  const second = await ask("m2", "What is the capital of France?");
  expect(second).toMatchObject({ type: "turn.ended", stopReason: "completed", text: expect.stringContaining("Paris") });
  expect(app.store.page("s", { limit: 9 }).map(brief)).toEqual([
    expect.stringMatching(/^user complete: Write a long story/),
    `assistant incomplete: ${half} !engine-crashed`,
    "user complete: What is the capital of France?",
    expect.stringMatching(/^assistant complete: .*Paris/),
  ]);
  expect(app.store.check()).toEqual([]);
  await app.close();
}, 60_000);

test("kill -9 of the engine while it loads, and while nobody asks: the next message is answered", async () => {
  const dataFolder = temporaryFolder();
  const app = await createApp({ dataFolder, workspace: temporaryFolder(), chosen: model });
  const ends: unknown[] = [];
  app.bus.listen((event) => {
    if (event.type === "turn.ended") ends.push(event.error?.code ?? event.text);
  });
  const ask = (id: string) =>
    app.bus.ask({ id, channel: "test", sessionId: "s", text: "What is the capital of France?" });
  ask("m1");
  await expect.poll(() => enginesOf(dataFolder), { timeout: 10_000 }).toHaveLength(1);
  kill(enginesOf(dataFolder)[0]);
  await app.idle();
  ask("m2");
  await app.idle();
  kill(app.engine.pid);
  await expect.poll(() => app.engine.pid, { timeout: 10_000 }).toBeUndefined();
  ask("m3");
  await app.idle();
  expect(ends).toEqual(["engine-crashed", expect.stringContaining("Paris"), expect.stringContaining("Paris")]);
  expect(app.store.check()).toEqual([]);
  await app.close();
}, 60_000);
