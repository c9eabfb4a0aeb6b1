import { expect, test } from "vitest";
import { runDamage } from "./damage.ts";
import { damageKinds } from "./damage-kinds.ts";

const SEED = 5;

test("a quick look: whatever is damaged, Lares opens, notices it, and brings over what can be read", {
  timeout: 120_000,
}, async () => {
  const { notes, ...row } = await runDamage({ seed: SEED, kinds: 16, flips: 16 });
  expect(row, notes.join("\n")).toMatchObject({ cases: 32, lost: 0, doubled: 0, corrupt: 0 });
});

test("it would show if nobody looked at the data", { timeout: 120_000 }, async () => {
  const row = await runDamage({ seed: SEED, kinds: 0, flips: 60, blind: true });
  expect(row.undetected).toBeGreaterThan(0);
  expect(row.corrupt).toBeGreaterThan(0);
});

test("there are at least sixty kinds of damage, each with a name of its own", () => {
  const names = new Set(damageKinds.map(({ name }) => name));
  expect(names.size).toBe(damageKinds.length);
  expect(names.size).toBeGreaterThanOrEqual(60);
});
