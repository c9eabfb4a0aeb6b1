import { expect, test } from "vitest";
import type { CloudPreset } from "../../shared/cloud.ts";
import { draftOf, presetFrom, withModel } from "./preset-draft.ts";

const offered = [
  { id: "big-1", name: "Big", window: 200_000, maxOutputTokens: 8192, vision: true, tools: false },
  { id: "small-1" },
];

test("what a vendor tells of a model is filled in, and its name with it until the person has given one", () => {
  const big = withModel(draftOf(undefined), "big-1", offered);
  expect(big).toMatchObject({ name: "Big", window: "200000", maxOutputTokens: "8192", vision: true, tools: false });
  expect(withModel(big, "small-1", offered)).toMatchObject({ name: "small-1", window: "200000" });
  expect(withModel({ ...big, name: "Mine" }, "small-1", offered).name).toBe("Mine");
});

test("a model by its name alone is enough; figures that are not given are left to the vendor", () => {
  const read = presetFrom({ ...draftOf(undefined), model: " any-1 " });
  expect(read).toEqual({
    preset: { name: "any-1", model: "any-1", window: 32_768, maxOutputTokens: 4096, vision: false, tools: true },
  });
});

test("each field that is wrong is named", () => {
  const draft = { ...draftOf(undefined), window: "many", maxOutputTokens: "1", temperature: "3" };
  expect(presetFrom(draft)).toEqual({ wrong: ["model", "window", "maxOutputTokens", "temperature"] });
  const good = {
    ...draft,
    model: "m",
    window: "8,192",
    maxOutputTokens: "500",
    temperature: "0,7",
    reasoning: "low",
  } as const;
  expect(presetFrom(good)).toMatchObject({ preset: { window: 8192, temperature: 0.7, reasoning: "low" } });
});

test("a preset that is changed keeps what is not touched", () => {
  const preset: CloudPreset = {
    ...{ id: "p", connectionId: "c", name: "N", model: "m", window: 2048, maxOutputTokens: 64, vision: true },
    ...{ tools: false, temperature: 0, reasoning: "off" },
  };
  const { id, connectionId, ...rest } = preset;
  expect(presetFrom(draftOf(preset))).toEqual({ preset: rest });
});
