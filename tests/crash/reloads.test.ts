import { expect, test } from "vitest";
import { runReloads } from "./reloads.ts";

// `npm run test:crash -- --only reloads` looks at all 50 moments.

test("a page that is loaded anew while an answer streams shows each word once, and the draft", async () => {
  const { notes, ...row } = await runReloads({ seed: 5, cases: 5 });
  expect(row, notes.join("\n")).toEqual({ name: "reloads", cases: 5, lost: 0, doubled: 0, corrupt: 0 });
}, 60_000);

test("a page that misses a piece of an answer is caught", async () => {
  const { lost } = await runReloads({ seed: 5, only: 7, planted: true });
  expect(lost).toBeGreaterThan(0);
}, 60_000);
