import { copyFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chatmlTemplate, qwenTemplate } from "../../../../tests/support/chat-templates.ts";
import { temporaryFolder } from "../../../../tests/support/fake-engine.ts";
import { type GgufModel, type MetadataEntry, writeGguf } from "../../../../tests/support/gguf.ts";
import { starterModel } from "../../../../tests/support/starter.ts";
import { readFacts } from "./model-facts.ts";

const u32 = (key: string, value: number): MetadataEntry => ({ key, type: "u32", value });
const list = (key: string, value: readonly number[], items: "u32" | "bool" = "u32"): MetadataEntry => ({
  ...{ key, type: "array", value, items },
});
const words = (key: string, value: string): MetadataEntry => ({ key, type: "string", value });
const make = (model: GgufModel, name = "model.gguf") => writeGguf(join(temporaryFolder(), name), model);
/** A model of eight layers with two heads of 64 numbers each. */
const shapeWith = (architecture: string, metadata: readonly MetadataEntry[]) =>
  readFacts(make({ architecture, layers: 8, metadata })).shape;
const perLayer = 2 * 64 * 2;

describe("the facts of a model file", () => {
  test("of the starter model are what its makers say", async () => {
    const path = await starterModel();
    expect(readFacts(path)).toMatchObject({
      path,
      architecture: "llama",
      quantisation: "Q4_1",
      parameters: 134_515_008,
      trainedWindow: 8192,
      tools: false,
      thinking: false,
      bytes: statSync(path).size,
      parts: 1,
      shape: { width: 576, feedForward: 1536, heads: 9, vocabulary: 49_152, perToken: 30 * 3 * 64 * 2, repacked: 0 },
    });
  });

  test("tell what the template can and what the licence is", () => {
    const template = `${qwenTemplate}{% if enable_thinking %}{% endif %}`;
    const path = make({
      name: "Qwen 9",
      chatTemplate: template,
      metadata: [u32("general.file_type", 15), words("general.license", "apache-2.0")],
    });
    expect(readFacts(path)).toMatchObject({
      name: "Qwen 9",
      quantisation: "Q4_K_M",
      licence: "apache-2.0",
      tools: true,
      thinking: true,
    });
    expect(readFacts(make({ chatTemplate: chatmlTemplate }))).toMatchObject({ tools: false, thinking: false });
  });

  test("call a file that says no name of its own by the file's, and leave out what nobody knows", () => {
    const facts = readFacts(make({ name: "", metadata: [u32("general.file_type", 999)] }, "my-model.gguf"));
    expect(facts.name).toBe("my-model");
    expect(facts).not.toHaveProperty("quantisation");
    expect(facts).not.toHaveProperty("licence");
  });

  test("of a split model are those of all its parts", () => {
    const folder = temporaryFolder();
    const part = (no: number) => join(folder, `m-0000${no}-of-00002.gguf`);
    writeGguf(part(1), { metadata: [u32("split.count", 2), u32("split.no", 0)] });
    const whole = readFacts(make({}));
    writeGguf(part(2), { metadata: [u32("split.count", 2), u32("split.no", 1)] });
    const facts = readFacts(part(1));
    expect(facts).toMatchObject({ parts: 2, parameters: 2 * (whole.parameters ?? 0) });
    expect(facts.bytes).toBe(statSync(part(1)).size + statSync(part(2)).size);
    expect(() => readFacts(part(2))).toThrow(/part 2 of 2\. Choose the first part/);
    writeFileSync(part(2), "GGUF");
    expect(() => readFacts(part(1))).toThrow(/m-00002-of-00002\.gguf cannot be used/);
  });
});

describe("what a model remembers of each token", () => {
  test("is what all its layers do, whatever the number of heads of each", () => {
    expect(shapeWith("llama", [])).toMatchObject({ perToken: 8 * perLayer, slidingPerToken: 0, fixed: 0 });
    const heads = [2, 0, 2, 0, 2, 0, 2, 0];
    expect(shapeWith("llama", [list("llama.attention.head_count_kv", heads)]).perToken).toBe(4 * perLayer);
  });

  test("is less where layers look back only over a part of the window", () => {
    const window = u32("gemma2.attention.sliding_window", 1024);
    const expected = { perToken: 4 * perLayer, slidingPerToken: 4 * perLayer, slidingWindow: 1024 };
    expect(shapeWith("gemma2", [window])).toMatchObject(expected);
    const pattern = list("other.attention.sliding_window_pattern", [1, 1, 1, 0, 1, 1, 1, 0], "bool");
    const own = u32("other.attention.sliding_window", 512);
    expect(shapeWith("other", [own, pattern])).toMatchObject({ perToken: 2 * perLayer, slidingPerToken: 6 * perLayer });
    // llama.cpp does not slide where it does not know how
    expect(shapeWith("llama", [u32("llama.attention.sliding_window", 512)]).slidingPerToken).toBe(0);
  });

  test("is squeezed in models that say so, and does not grow in layers without attention", () => {
    expect(shapeWith("deepseek2", [u32("deepseek2.attention.kv_lora_rank", 512)]).perToken).toBe(8 * (512 + 64));
    const hybrid = [
      u32("qwen3next.full_attention_interval", 4),
      u32("qwen3next.ssm.inner_size", 256),
      u32("qwen3next.ssm.state_size", 16),
      u32("qwen3next.ssm.conv_kernel", 4),
    ];
    expect(shapeWith("qwen3next", hybrid)).toMatchObject({ perToken: 2 * perLayer, fixed: 8 * 256 * 20 * 4 });
  });

  test("is nothing that a damaged header could blow up", () => {
    const shape = shapeWith("llama", [u32("llama.attention.key_length", 0xffffffff)]);
    expect(Object.values(shape).every((value) => Number.isFinite(value) && value >= 0)).toBe(true);
  });
});

test("weights that the processor copies into its own order count twice", () => {
  const type = process.arch === "arm64" ? "q8_0" : "q4_0";
  const path = make({ type, width: 256, feedForward: 512 });
  const { shape } = readFacts(path);
  expect(shape.repacked).toBeGreaterThan(0.5 * shape.bytes);
  expect(shape.repacked).toBeLessThan(shape.bytes);
  copyFileSync(path, `${path}.f16`);
  expect(readFacts(make({ type: "f16" })).shape.repacked).toBe(0);
});
