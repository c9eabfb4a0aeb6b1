import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine } from "../../src/main/engine/keeper.ts";
import { silentLog } from "../../src/main/lib/log.ts";
import { measuredMemory } from "../support/engine-memory.ts";
import { fitModels } from "../support/fit-models.ts";
import { writeGguf } from "../support/gguf.ts";
import { starterModel } from "../support/starter.ts";
import { endlessModel } from "../support/tiny-models.ts";
import { type Figure, figure, type Group, longest, machineMb, machineMs, median, ratio } from "./figure.ts";

const switches = 8;
const stops = 5;

/** How far the estimate of a model's memory is from the truth, and what switching and stopping loads leaves behind. */
export const fit: Group = {
  name: "fit",
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "lares-fit-"));
    try {
      return [...(await estimates(folder)), ...(await switching(folder)), ...(await stopping())];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

async function estimates(folder: string): Promise<Figure[]> {
  if (process.platform !== "linux") return [figure("memory estimated (only told by Linux)", null, ratio)];
  const files = Object.entries(fitModels).map(
    ([name, model], at) => [name, writeGguf(join(folder, `${at}.gguf`), model)] as const,
  );
  const figures: Figure[] = [];
  const errors: number[] = [];
  for (const [name, path] of [...files, ["the starter model", await starterModel()] as const]) {
    const { estimate, real } = await measuredMemory({ path, contextTokens: 8192 });
    errors.push(Math.abs(estimate / real - 1));
    figures.push(figure(`memory estimated ÷ taken: ${name}`, estimate / real, ratio));
  }
  return [...figures, figure("largest error of the estimate", longest(errors), ratio, { atMost: 0.2 })];
}

const anEngine = () =>
  createEngine({ memory: { get: () => undefined, set: () => undefined }, log: silentLog, idleMinutes: () => 0 });

async function switching(folder: string): Promise<Figure[]> {
  const engine = anEngine();
  const paths = ["a", "b"].map((name) => endlessModel(join(folder, `${name}.gguf`)));
  const pids: number[] = [];
  const main: number[] = [];
  for (let at = 0; at < switches; at++) {
    await engine.load({ path: paths[at % 2] ?? "", contextTokens: 2048 }, AbortSignal.timeout(60_000));
    pids.push(engine.pid ?? 0);
    main.push(process.memoryUsage.rss() / 1e6);
  }
  await engine.close();
  const [, second = 0] = main;
  return [
    figure(`processes left after ${switches} switches of model`, pids.filter(isAlive).length, "", { atMost: 0 }),
    figure("memory of main gained by 6 switches of model", (main.at(-1) ?? 0) - second, machineMb, { atMost: 20 }),
  ];
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** From the stop of a load to the end of its child. */
async function stopping(): Promise<Figure[]> {
  const path = await starterModel();
  const times: number[] = [];
  for (let round = 0; round < stops; round++) {
    const engine = anEngine();
    const stop = new AbortController();
    let stoppedAt = 0;
    const load = engine.load({ path, contextTokens: 8192 }, stop.signal, () => {
      stoppedAt ||= performance.now();
      stop.abort();
    });
    await load.catch(() => undefined); // it was stopped
    times.push(performance.now() - stoppedAt);
    await engine.close();
  }
  return [figure("stop of a load to the end of its child", median(times), machineMs, { atMost: 1000 })];
}
