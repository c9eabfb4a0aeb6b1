import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aWorkshop, type Workshop, whyNot } from "./faults.ts";
import { harnesses } from "./harnesses.ts";

const reason = whyNot();
const SEED = 5;

/** A quick look: some cases of each harness, spread from end to end. `npm run test:crash` runs all. */
describe.skipIf(reason !== undefined)(`nothing is lost, doubled or damaged${reason ? ` (${reason})` : ""}`, () => {
  let workshop: Workshop;
  beforeAll(() => {
    workshop = aWorkshop();
  });
  afterAll(() => workshop.leave());

  test.each(harnesses)("$name", { timeout: 120_000 }, async ({ name, run, quick }) => {
    const { notes, ...row } = await run(workshop, { seed: SEED, cases: quick });
    expect(row, notes.join("\n")).toEqual({ name, cases: quick, lost: 0, doubled: 0, corrupt: 0 });
  });
});
