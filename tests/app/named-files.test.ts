import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { TurnEvent } from "../../src/shared/events.ts";
import { makeHostileTree } from "../support/hostile-tree.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { sayingModel } from "../support/tiny-models.ts";
import { eventsOf, lares, stored } from "./lares.ts";
import { can } from "./linux.ts";

const Case = z.strictObject({
  id: z.string(),
  /** What the person types. `{workspace}` is the folder's path. */
  input: z.string(),
  /** What the person is told of each reading, or of why there is none. */
  told: z.array(z.string()).min(1),
  why: z.string(),
});
const file = join(import.meta.dirname, "../hostile/named-files.json");
const cases = z.array(Case).parse(JSON.parse(readFileSync(file, "utf8")));

/** The events of each turn, in their order. */
function turnsOf(events: readonly TurnEvent[]): TurnEvent[][] {
  const starts = events.flatMap(({ type }, at) => (type === "turn.started" ? [at] : []));
  return starts.map((start, at) => events.slice(start, starts[at + 1]));
}

describe.skipIf(process.platform === "win32")("a file that a message names, with a model that cannot choose", () => {
  test("is read when it is one of the workspace; of all else it is said why not, and each message is answered", async () => {
    expect(cases.length).toBeGreaterThanOrEqual(15);
    const { workspace, remove } = await makeHostileTree();
    onTestFinished(remove);
    const device = join(workspace, "device.txt");
    if (can("mknod", device, "c", "1", "5")) execFileSync("chmod", ["644", device]);
    writeFileSync(join(workspace, "sparse.log"), "");
    truncateSync(join(workspace, "sparse.log"), 2 ** 31);
    writeFileSync(join(workspace, "blob.txt"), Buffer.concat([Buffer.from([0, 159, 146, 150]), randomBytes(4000)]));
    writeFileSync(join(workspace, "nothing.txt"), "");
    const home = temporaryFolder();
    const model = sayingModel(join(home, "saying.gguf"), ["Fine"]);
    const input = cases.map((one) => `${one.input.replace("{workspace}", workspace)}\n`).join("");
    const flags = ["--json", "--session", "s", "--model", model, "--workspace", workspace];
    const { code, out } = await lares(home, ["chat", ...flags], { input });
    expect(code).toBe(0);
    expect(out).not.toMatch(/SECRET|LARES_HOME/);

    const turns = turnsOf(eventsOf(out));
    const told = turns.map((events, at) => ({
      id: cases[at]?.id,
      told: events.flatMap((event) => (event.type === "tool" && event.phase === "end" ? [event.summary] : [])).sort(),
      end: events.map((event) => (event.type === "turn.ended" ? event.text : "")).join(""),
    }));
    const expected = cases.map(({ id, told }) => ({
      id,
      told: told.map((words) => expect.stringContaining(words)),
      end: "Fine",
    }));
    expect(told).toEqual(expected);
    const { rows, problems } = stored(home);
    expect([rows.filter((row) => /SECRET|LARES_HOME/.test(row)), problems]).toEqual([[], []]);
  });
});
