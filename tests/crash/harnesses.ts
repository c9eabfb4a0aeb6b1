import { clocks } from "./clocks.ts";
import { diskFaults } from "./disk-faults.ts";
import { engineKills } from "./engine-kills.ts";
import { everyWrite } from "./every-write.ts";
import type { Harness } from "./harness.ts";
import { mixes } from "./mixes.ts";
import { powerLoss } from "./power-loss.ts";
import { randomKills } from "./random-kills.ts";
import { stops } from "./stops.ts";

interface Listed {
  /** The name of its row. */
  readonly name: string;
  readonly run: Harness;
  /** So many of its cases are a quick look. */
  readonly quick: number;
}

/** Every harness. */
export const harnesses: readonly Listed[] = [
  { name: "every-write", run: everyWrite, quick: 40 },
  { name: "random-kills", run: randomKills, quick: 20 },
  { name: "power-loss", run: powerLoss, quick: 300 },
  { name: "disk-faults", run: diskFaults, quick: 30 },
  { name: "stops", run: stops, quick: 24 },
  { name: "engine-kills", run: engineKills, quick: 20 },
  { name: "mixes", run: mixes, quick: 10 },
  { name: "clocks", run: clocks, quick: 15 },
];
