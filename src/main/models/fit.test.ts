import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { measuredMemory } from "../../../tests/support/engine-memory.ts";
import { temporaryFolder } from "../../../tests/support/fake-engine.ts";
import { fitModels } from "../../../tests/support/fit-models.ts";
import { writeGguf } from "../../../tests/support/gguf.ts";
import { starterModel } from "../../../tests/support/starter.ts";
import { readFacts } from "../engine/child/model-facts.ts";
import { memoryOf, sumOf } from "../engine/memory.ts";
import { fitOf, guessedMemory, largestWindow } from "./fit.ts";

const GB = 2 ** 30;

describe.skipIf(process.platform !== "linux")("the estimate of the memory a model takes", () => {
  test.each(Object.keys(fitModels))("is within a fifth of the truth: %s", { timeout: 120_000 }, async (name) => {
    const path = writeGguf(join(temporaryFolder(), "model.gguf"), fitModels[name]);
    const { estimate, real } = await measuredMemory({ path, contextTokens: 8192 });
    expect(estimate / real).toBeGreaterThan(0.8);
    expect(estimate / real).toBeLessThan(1.2);
  });

  test.each([
    { contextTokens: 8192, cacheType: "q8_0" as const },
    { contextTokens: 8192, flashAttention: "off" as const },
  ])("is within a fifth of the truth: the starter model, %o", { timeout: 120_000 }, async (options) => {
    const { estimate, real } = await measuredMemory({ path: await starterModel(), ...options });
    expect(estimate / real).toBeGreaterThan(0.8);
    expect(estimate / real).toBeLessThan(1.2);
  });
});

describe("how a model fits", () => {
  const needs = (bytes: number) => ({ weights: bytes, cache: 0, compute: 0 });

  test("is told from all memory and from what is free", () => {
    expect(fitOf(needs(4 * GB), { total: 8 * GB })).toBe("well");
    expect(fitOf(needs(4 * GB), { total: 8 * GB, free: 3 * GB })).toBe("tight");
    expect(fitOf(needs(6 * GB), { total: 8 * GB })).toBe("tight");
    expect(fitOf(needs(7 * GB), { total: 8 * GB })).toBe("too-big");
  });

  test("is well when all of it goes onto the graphics card", () => {
    const computer = { total: 8 * GB, free: 1 * GB };
    expect(fitOf(needs(7 * GB), { ...computer, gpu: { total: 8 * GB, free: 8 * GB } })).toBe("well");
    expect(fitOf(needs(7 * GB), { ...computer, gpu: { total: 6 * GB, free: 6 * GB } })).toBe("too-big");
  });

  test("the largest window is the largest that is not too big", () => {
    const { shape } = readFacts(writeGguf(join(temporaryFolder(), "m.gguf"), { layers: 16, window: 131_072 }));
    const fit = (window: number, total: number) => fitOf(memoryOf(shape, { window }), { total });
    for (const total of [0.4 * GB, 0.6 * GB, GB]) {
      const window = largestWindow(shape, {}, { total });
      expect([fit(window, total), fit(window + 256, total)]).toEqual([expect.not.stringMatching("too-big"), "too-big"]);
    }
    expect(largestWindow(shape, {}, { total: 64 * GB })).toBe(131_072);
    expect(largestWindow(shape, {}, { total: 0.1 * GB })).toBe(0);
    expect(largestWindow(shape, { cacheType: "q8_0" }, { total: GB })).toBeGreaterThan(
      1.5 * largestWindow(shape, {}, { total: GB }),
    );
  });

  test("a window is never counted longer than the model was trained for", () => {
    const { shape } = readFacts(writeGguf(join(temporaryFolder(), "m.gguf"), { window: 4096 }));
    expect(memoryOf(shape, { window: 1_000_000 })).toEqual(memoryOf(shape, { window: 4096 }));
  });

  test("of a model that is not here is guessed on the safe side", async () => {
    const path = await starterModel();
    const { shape, bytes } = readFacts(path);
    const known = { bytesPerToken: 2 * shape.perToken, trainedTokens: 8192 };
    const truth = sumOf(memoryOf(shape, { window: 8192 }));
    expect(sumOf(guessedMemory(bytes, 8192, known))).toBeGreaterThan(truth);
    expect(sumOf(guessedMemory(bytes, 100_000, known))).toBe(sumOf(guessedMemory(bytes, 8192, known)));
  });
});
