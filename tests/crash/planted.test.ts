import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aWorkshop, type Workshop, whyNot } from "./faults.ts";
import { harnesses } from "./harnesses.ts";
import type { Defect } from "./scene.ts";

const reason = whyNot();
const hasStrace = spawnSync("strace", ["-V"]).status === 0;

type Kind = "lost" | "doubled" | "corrupt";

/** A defect, the harness that has to find it, and how it says so. */
const planted: ReadonlyArray<{
  defect: Defect;
  name: string;
  cases: number;
  within?: readonly [number, number];
  as: Kind;
  says: RegExp;
}> = [
  { defect: "no sync", name: "power-loss", cases: 60, as: "lost", says: /lost: the message "Task 1/ },
  { defect: "effect first", name: "power-loss", cases: 100, as: "corrupt", says: /before its intention was stored/ },
  { defect: "early word", name: "power-loss", cases: 100, as: "lost", says: /lost: the message "Task 1/ },
  // the middle of the turn, where the tool works that must run only once
  { defect: "runs again", name: "every-write", cases: 24, within: [0.4, 0.6], as: "doubled", says: /happened 2 times/ },
  { defect: "lost draft", name: "stops", cases: 12, as: "lost", says: /lost: the message "Also/ },
  { defect: "sent twice", name: "random-kills", cases: 2, as: "doubled", says: /doubled: the message/ },
  { defect: "sent twice", name: "disk-faults", cases: 2, as: "doubled", says: /doubled: the message/ },
  { defect: "sent twice", name: "mixes", cases: 2, as: "doubled", says: /doubled: the message/ },
  { defect: "sent twice", name: "clocks", cases: 2, as: "doubled", says: /doubled: the message/ },
  { defect: "sent twice", name: "engine-kills", cases: 2, as: "doubled", says: /doubled: Question/ },
];

describe.skipIf(reason !== undefined)(
  `a harness that cannot fail proves nothing${reason ? ` (${reason})` : ""}`,
  () => {
    let workshop: Workshop;
    beforeAll(() => {
      workshop = aWorkshop();
    });
    afterAll(() => workshop.leave());

    test.each(planted)(
      '"$defect" is found by $name',
      { timeout: 60_000 },
      async ({ defect, name, cases, within, as, says }) => {
        const run = harnesses.find((harness) => harness.name === name)?.run;
        const row = await run?.(workshop, { seed: 5, cases, within, defect });
        expect(row?.[as]).toBeGreaterThan(0);
        expect(row?.notes.join("\n")).toMatch(says);
      },
    );

    test("every harness has a defect planted", () => {
      expect(new Set(planted.map(({ name }) => name))).toEqual(new Set(harnesses.map(({ name }) => name)));
    });

    test.skipIf(!hasStrace)("the library sees every call that strace sees, Node's own and SQLite's", async () => {
      const scene = workshop.scene();
      const [out, tracedTo] = [join(scene.folder, "count"), join(scene.folder, "strace")];
      const options = { fault: { mode: "count", out }, tracedTo, timeoutMs: 25_000 } as const;
      const { code } = await workshop.run({ ...scene, task: "1", followUps: true }, options);
      expect(code).toBe(0);
      const lines = readFileSync(tracedTo, "utf8").split("\n");
      const ofFolder = lines.filter((line) => line.includes(scene.dataFolder) && !line.includes("ENOENT"));
      const traced = (call: RegExp) => ofFolder.filter((line) => call.test(line)).length;
      const counted = Object.fromEntries(
        readFileSync(out, "utf8")
          .trim()
          .split("\n")
          .map((line) => line.split(" ")),
      );
      expect(counted).toEqual({
        write: String(traced(/ p?writev?(64)?\(/)),
        sync: String(traced(/ f(data)?sync\(/)),
        truncate: String(traced(/ ftruncate\(/)),
        unlink: String(traced(/ unlink(at)?\(/)),
        rename: String(traced(/ rename(at)?\(/)),
        mark: "0",
      });
      expect(Number(counted.write)).toBeGreaterThan(200);
      expect(ofFolder.some((line) => / write\(.*probe/.test(line))).toBe(true); // Node's
      expect(ofFolder.some((line) => / pwrite64\(.*lares\.db-wal/.test(line))).toBe(true); // SQLite's
    });
  },
);
