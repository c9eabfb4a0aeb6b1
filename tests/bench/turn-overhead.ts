import { figure, type Group, machineMs, median, ratio } from "./figure.ts";
import { fillChat } from "./filled-chat.ts";
import { type ScriptedTurns, withScriptedTurns } from "./scripted-turns.ts";

const toolSteps = 20;
const longSession = 2_000;
const rounds = 40;

/**
 * What Lares itself needs for a turn: everything but the model and the tools. A turn on the disk waits mostly for the
 * disk, and how long depends on it; so the number of durable writes is told too, and what is left without a disk.
 */
export const turnOverhead: Group = {
  name: "turn-overhead",
  async measure() {
    const disk = await withScriptedTurns("file", measureTurns);
    const memory = await withScriptedTurns("memory", measureTurns);
    const commits = await withScriptedTurns("memory", countCommits);
    const long = "turn in a session of 2,000 rows ÷ in an empty one";
    return [
      figure("turn without tools", disk.plain, machineMs, { atMost: 4 }),
      figure("turn without tools, no disk", memory.plain, machineMs),
      figure("turn without tools, durable writes", commits.plain, "writes"),
      figure("each tool step", disk.step, machineMs, { atMost: 2 }),
      figure("each tool step, no disk", memory.step, machineMs),
      figure("each tool step, durable writes", commits.step, "writes"),
      figure(long, disk.long, ratio, { atMost: 1.5 }),
      figure(`${long}, no disk`, memory.long, ratio),
    ];
  },
};

/** Medians of turns that take turns, so that a busy moment hits all kinds. */
async function measureTurns({ turn, store }: ScriptedTurns) {
  fillChat(store, { sessionId: "long", rows: longSession, question: fortyWords, answer: fortyWords });
  const kinds: Record<"plain" | "tools" | "ratios", number[]> = { plain: [], tools: [], ratios: [] };
  for (let round = 0; round < rounds; round++) {
    const plain = await turn(`empty ${round}`, 0);
    const long = await turn("long", 0);
    kinds.plain.push(plain);
    kinds.ratios.push(long / plain);
    if (round % 3 === 0) kinds.tools.push(await turn(`tools ${round}`, toolSteps));
  }
  const plain = median(kinds.plain);
  return { plain, step: (median(kinds.tools) - plain) / toolSteps, long: median(kinds.ratios) };
}

async function countCommits({ turn, commits }: ScriptedTurns) {
  const during = async (steps: number) => {
    const before = commits();
    await turn(`${steps} steps`, steps);
    return commits() - before;
  };
  const plain = await during(0);
  return { plain, step: ((await during(toolSteps)) - plain) / toolSteps };
}

const fortyWords = (pair: number) =>
  `${pair}: ${"Some words of a conversation that went on for a long while. ".repeat(4)}`;
