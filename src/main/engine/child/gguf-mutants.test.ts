import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { chatmlTemplate } from "../../../../tests/support/chat-templates.ts";
import { EngineChild, knownCard } from "../../../../tests/support/engine-child.ts";
import { writeGguf } from "../../../../tests/support/gguf.ts";
import { type Seeded, seeded } from "../../../../tests/support/seeded.ts";
import { AppError } from "../../../shared/errors.ts";
import { readFacts } from "./model-facts.ts";

const mutants = 10_000;
const loaded = 200;
const mostCpuMs = 50;
const mostBytes = 64 << 20;

/** Numbers that programs stumble over. */
const nasty: readonly [bigint, ...bigint[]] = [
  0n,
  1n,
  0x7fn,
  0xffn,
  0x7fff_ffffn,
  0x8000_0000n,
  0xffff_ffffn,
  1n << 62n,
  1n << 63n,
  (1n << 64n) - 1n,
];

const folder = mkdtempSync(join(tmpdir(), "lares-mutants-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const whole = writeGguf(join(folder, "whole.gguf"), { width: 32, chatTemplate: chatmlTemplate });
const original = readFileSync(whole);
const headerBytes = original.lastIndexOf("ffn_down.weight") + 64;
const path = join(folder, "mutant.gguf");

/** Writes the file with up to four places of its header changed, and sometimes its end cut off. */
function writeMutant({ between, chance, pick }: Seeded): void {
  const bytes = Buffer.from(original);
  for (let change = between(1, 4); change > 0; change--) {
    const at = between(0, headerBytes - 8);
    if (chance(0.3)) bytes.writeUInt8(between(0, 255), at);
    else if (chance(0.5)) bytes.writeUInt32LE(Number(pick(nasty) & 0xffff_ffffn), at);
    else bytes.writeBigUInt64LE(pick(nasty), at);
  }
  writeFileSync(path, chance(0.1) ? bytes.subarray(0, between(0, bytes.length)) : bytes);
}

interface Fate {
  readonly error?: unknown;
  readonly cpuMs: number;
  readonly bytes: number;
}

/** What becomes of the file when it is looked at, and what that costs: in time of this thread, not of the clock. */
function look(): Fate {
  const held = () => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const [before, start] = [held(), process.threadCpuUsage()];
  let error: unknown;
  try {
    readFacts(path);
  } catch (thrown) {
    error = thrown;
  }
  const { user, system } = process.threadCpuUsage(start);
  return { error, cpuMs: (user + system) / 1000, bytes: held() - before };
}

let child = new EngineChild();
afterAll(() => child.stop());

/** How a real child takes a file: a code of ours, "loaded", or "died". */
async function load(file: string): Promise<string> {
  const answer = child.send({
    type: "load",
    options: { path: file, contextTokens: 512, card: { ...knownCard, wrapper: "chatML" } },
  }).reply;
  const reply = await answer.catch(() => undefined);
  if (reply?.type === "error") return reply.error.code;
  if (reply?.type === "done") return "loaded";
  child = new EngineChild();
  return "died";
}

test(`${mutants} damaged files are read or refused in words, none of them slowly or with much memory`, {
  timeout: 120_000,
}, () => {
  const random = seeded(6);
  const untyped: unknown[] = [];
  let [refused, slowest, largest] = [0, 0, 0];
  for (let at = 0; at < mutants; at++) {
    writeMutant(random);
    const { error, cpuMs, bytes } = look();
    [slowest, largest] = [Math.max(slowest, cpuMs), Math.max(largest, bytes)];
    if (error instanceof AppError) refused += 1;
    else if (error !== undefined) untyped.push(error);
  }
  expect(untyped).toEqual([]);
  expect({ isQuick: slowest < mostCpuMs, isSmall: largest < mostBytes }).toEqual({ isQuick: true, isSmall: true });
  expect(refused).toBeGreaterThan(mutants / 4);
  expect(refused).toBeLessThan(mutants - loaded);
});

test(`of ${loaded} that pass, llama.cpp loads some, refuses some in words, and takes only its child with it`, {
  timeout: 300_000,
}, async () => {
  const random = seeded(7);
  const fates = new Map<string, number>();
  for (let passed = 0; passed < loaded; ) {
    writeMutant(random);
    if (look().error !== undefined) continue;
    passed += 1;
    const fate = await load(path);
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
  }
  const known: ReadonlySet<string> = new Set(["loaded", "died", "model-invalid", "model-unsupported", "out-of-memory"]);
  expect([...fates.keys()].filter((fate) => !known.has(fate))).toEqual([]);
  expect(await load(whole)).toBe("loaded");
});
