import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { figure, type Group } from "./figure.ts";

/** What the process holds after so many turns. */
export interface Held {
  readonly turns: number;
  readonly rss: number;
  /** Open descriptors, and timers and the like that keep the process alive. */
  readonly handles: number;
}

/** Two thousand turns as fast as they go: what stays behind. In a process of its own, which did nothing before. */
export const soak: Group = {
  name: "soak",
  async measure() {
    const child = fork(join(import.meta.dirname, "soak-child.ts"), { execArgv: ["--expose-gc"] });
    const exit = once(child, "exit");
    const looks: Held[] = [];
    child.on("message", (held) => void looks.push(held as Held));
    const [code] = await exit;
    const [first] = looks;
    const last = looks.at(-1);
    if (code !== 0 || !first || !last) throw new Error(`The soak ended with ${code} after ${looks.length} looks.`);
    const turns = last.turns - first.turns;
    return [
      figure(`memory of main over ${turns} turns, each 100`, (100 * slope(looks)) / 1e6, "MB", { atMost: 1 }),
      figure(`handles of main over ${turns} turns, more`, last.handles - first.handles, "handles", { atMost: 2 }),
    ];
  },
};

/** Bytes a turn, by least squares: one look more or less of a garbage collection does not decide. */
function slope(looks: readonly Held[]): number {
  const mean = (of: (held: Held) => number) => looks.reduce((sum, held) => sum + of(held), 0) / looks.length;
  const turns = mean((held) => held.turns);
  const rss = mean((held) => held.rss);
  const up = looks.reduce((sum, held) => sum + (held.turns - turns) * (held.rss - rss), 0);
  return up / looks.reduce((sum, held) => sum + (held.turns - turns) ** 2, 0);
}
