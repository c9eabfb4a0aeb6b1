import { writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { bytes } from "./bytes.ts";
import { cloud } from "./cloud.ts";
import { decode } from "./decode.ts";
import { download } from "./download.ts";
import { eventLoop } from "./event-loop.ts";
import { type Figure, formatTable, type Group } from "./figure.ts";
import { fileQuestions } from "./file-questions.ts";
import { firstToken } from "./first-token.ts";
import { fit } from "./fit.ts";
import { largeStore } from "./large-store.ts";
import { longChat } from "./long-chat.ts";
import { memory } from "./memory.ts";
import { oneShot } from "./one-shot.ts";
import { pageSize } from "./page-size.ts";
import { prefix } from "./prefix.ts";
import { back } from "./return.ts";
import { soak } from "./soak.ts";
import { stop } from "./stop.ts";
import { turnOverhead } from "./turn-overhead.ts";
import { windowMemory } from "./window-memory.ts";
import { windowStart } from "./window-start.ts";
import { windowStream } from "./window-stream.ts";

const groups: readonly Group[] = [
  decode,
  firstToken,
  prefix,
  back,
  turnOverhead,
  bytes,
  stop,
  eventLoop,
  oneShot,
  download,
  memory,
  windowStart,
  longChat,
  largeStore,
  windowStream,
  windowMemory,
  pageSize,
  soak,
  fileQuestions,
  cloud,
  fit,
];

/** `npm run bench`: exit code 1 when something could not be measured; with `--strict` also when a goal is missed. */
async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { json: { type: "string" }, only: { type: "string" }, strict: { type: "boolean", default: false } },
  });
  const chosen = groups.filter(({ name }) => values.only === undefined || values.only === name);
  if (chosen.length === 0) {
    process.stderr.write(`There is no ${values.only}. --only takes ${groups.map(({ name }) => name).join(", ")}.\n`);
    return 1;
  }
  const busy = loadavg()[0]?.toFixed(1);
  process.stdout.write(
    `${cpus()[0]?.model}, ${availableParallelism()} cores, load ${busy} at the start, Node ${process.version}\n\n`,
  );
  const figures: Figure[] = [];
  let broken = false;
  for (const { name, measure } of chosen) {
    const start = performance.now();
    try {
      figures.push(...(await measure()));
    } catch (thrown) {
      broken = true;
      process.stderr.write(`${name} could not be measured: ${thrown instanceof Error ? thrown.stack : thrown}\n`);
    }
    process.stderr.write(`${name}: ${Math.round((performance.now() - start) / 1000)} s\n`);
  }
  process.stdout.write(`${formatTable(figures)}\n`);
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
  const missed = figures.some(({ ok }) => ok === false);
  return broken || (values.strict && missed) ? 1 : 0;
}

process.exitCode = await main();
