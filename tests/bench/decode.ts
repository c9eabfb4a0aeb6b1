import { execFileSync, fork } from "node:child_process";
import { join } from "node:path";
import { engineEnvironment } from "../../src/main/engine/environment.ts";
import { starterModel } from "../support/starter.ts";
import { type Figure, figure, type Group, quantile, ratio } from "./figure.ts";

/** What the child sends at the end: tokens a second, one of each a round. */
export interface DecodeResult {
  readonly type: "result";
  readonly threads: number;
  readonly lares: readonly number[];
  readonly library: readonly number[];
}

const tokens = 48;
const rounds = 32;
/** Other work on the computer only ever makes a round slower: its fast quarter says what the programs can do. */
const undisturbed = 0.75;

/** How much of the library's speed, and of llama.cpp's, is left when the words come through Lares. */
export const decode: Group = {
  name: "decode",
  async measure() {
    const model = await starterModel();
    const { threads, lares, library } = await decodeInChild(model);
    const speed = quantile(lares, undisturbed);
    return [
      figure(`decode through Lares (threads: ${threads})`, speed, "tokens/s (this machine)"),
      figure("decode through Lares ÷ the library alone", speed / quantile(library, undisturbed), ratio, {
        atLeast: 0.97,
      }),
      besideRaw(model, threads, speed),
    ];
  },
};

async function decodeInChild(model: string): Promise<DecodeResult> {
  const child = fork(join(import.meta.dirname, "decode-child.ts"), [model, String(tokens), String(rounds)], {
    serialization: "advanced",
    env: engineEnvironment(process.env),
  });
  return new Promise((resolve, reject) => {
    child.on("message", (message: DecodeResult | { type: "events" }) => {
      if (message.type === "result") resolve(message);
    });
    child.on("exit", (code) => reject(new Error(`The child ended with ${code}.`)));
  });
}

/** Where LARES_RAW_LLAMA names a llama-bench. */
function besideRaw(model: string, threads: number, speed: number): Figure {
  const name = "decode through Lares ÷ llama-bench (LARES_RAW_LLAMA)";
  const program = process.env.LARES_RAW_LLAMA;
  const goal = { atLeast: 0.9 };
  if (!program) return figure(name, null, ratio, goal);
  const flags = ["-m", model, "-p", "0", "-n", String(tokens), "-t", String(threads), "-ngl", "0", "-r", "5"];
  const [test] = JSON.parse(execFileSync(program, [...flags, "-o", "json"], { encoding: "utf8" })) as {
    avg_ts: number;
  }[];
  return figure(name, speed / (test?.avg_ts ?? Number.NaN), ratio, goal);
}
