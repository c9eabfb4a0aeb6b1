import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type App, createApp } from "../../src/main/app.ts";
import { createEngine } from "../../src/main/engine/keeper.ts";
import { silentLog } from "../../src/main/lib/log.ts";
import { createLocalProvider } from "../../src/main/providers/local.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import { textOf } from "../../src/shared/message.ts";
import type { Scene } from "./faults.ts";
import { type Case, fine, type Harness, runCases } from "./harness.ts";
import type { Verdict } from "./invariants.ts";
import type { Defect } from "./scene.ts";

const KILLS = 100;
const HALF = "Half an answ";
const WHOLE = "A whole answer.";
const fakeChild = join(import.meta.dirname, "../support/fake-engine-child.mjs");

/**
 * The engine dies by SIGKILL in the middle of an answer, `cases` times (100) in one session: each time the app says so,
 * keeps the half, and answers the next message, or holds the model back with a reason until a person lets it go on.
 */
export const engineKills: Harness = async (workshop, options) => {
  const kills = options.cases ?? KILLS;
  const told = new Map<string, number>();
  const session: Case = async () => {
    const scene = workshop.scene();
    const verdict = await oneSession(scene, { kills, told, defect: options.defect });
    workshop.drop(scene);
    return verdict;
  };
  const figure = () => [
    `${kills} kills in one session: ${[...told].map(([code, times]) => `${code} ${times}`).join(", ")}`,
  ];
  const row = await runCases("engine-kills", [session], { seed: options.seed, defect: options.defect }, figure);
  return { ...row, cases: kills };
};

interface Session {
  readonly kills: number;
  /** How often each code was told. */
  readonly told: Map<string, number>;
  readonly defect: Defect | undefined;
}

async function oneSession(
  { folder, dataFolder, workspace }: Scene,
  { kills, told, defect }: Session,
): Promise<Verdict> {
  const path = join(folder, "model.gguf");
  const chat = Array.from({ length: kills }, () => [{ text: HALF }, { kill: "SIGKILL" }]);
  writeFileSync(path, JSON.stringify({ chat: [...chat, [{ text: WHOLE }]] }));
  const engine = createEngine({ memory: memory(), log: silentLog, entry: fakeChild, limits: { restartMs: [0] } });
  const provider = createLocalProvider({ engine, path, run: () => ({ contextTokens: 8192 }), log: silentLog });
  const app = await createApp({ dataFolder, workspace, provider });
  const ask = asking(app, defect);
  const children = new Set<number>();
  app.bus.listen(() => void (engine.pid !== undefined && children.add(engine.pid)));
  const wrong: string[] = [];
  let asked = 0;
  try {
    for (let left = kills + 1; left > 0 && asked < kills * 3; asked += 1) {
      const { code, text } = await ask(asked);
      told.set(code, (told.get(code) ?? 0) + 1);
      if (code in expected) left -= 1;
      else engine.release(path); // it is held back, with a reason: a person lets it go on
      if (text !== (expected[code] ?? "")) wrong.push(`answer ${asked}: ${text}`);
    }
    if (!told.has(ANSWERED)) wrong.push("the answer after the last kill");
    await engine.close();
    const left = [...children].filter(isAlive).map((pid) => `the engine ${pid} outlived its session`);
    const problems = [...app.store.check().map(({ text }) => text), ...left];
    return verdictOn(app.store.page("s", { limit: 10_000 }), { asked, wrong, problems });
  } finally {
    await app.close();
    await engine.close();
  }
}

const ANSWERED = "answered";
/** What is to be read of a turn, by how it ended; any other end has no text. */
const expected: Readonly<Record<string, string>> = { "engine-crashed": HALF, [ANSWERED]: WHOLE };

/** Asks, and waits for how it ended. */
function asking(app: App, defect: Defect | undefined) {
  const ends: Extract<TurnEvent, { type: "turn.ended" }>[] = [];
  app.bus.listen((event) => {
    if (event.type === "turn.ended") ends.push(event);
  });
  return async (number: number) => {
    const message = { channel: "test", sessionId: "s", text: `Question ${number}?` };
    app.bus.ask({ ...message, id: `m-${number}` });
    if (defect === "sent twice") app.bus.ask({ ...message, id: `m-${number}-twice` });
    await app.idle();
    const { error, text = "" } = ends.at(-1) ?? {};
    return { code: error?.code ?? ANSWERED, text };
  };
}

function verdictOn(
  rows: readonly { role: string; parts: Parameters<typeof textOf>[0] }[],
  { asked, wrong, problems }: { asked: number; wrong: readonly string[]; problems: readonly string[] },
): Verdict {
  const users = rows.filter(({ role }) => role === "user").map(({ parts }) => textOf(parts));
  const missing = Array.from({ length: asked }, (_, at) => `Question ${at}?`).filter((text) => !users.includes(text));
  return {
    ...fine,
    lost: [...missing, ...wrong],
    doubled: users.filter((text, at) => users.indexOf(text) !== at),
    corrupt: problems,
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function memory() {
  const values = new Map<string, string>();
  return { get: (key: string) => values.get(key), set: (key: string, value: string) => void values.set(key, value) };
}
