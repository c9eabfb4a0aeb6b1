import { afterEach, describe, expect, test } from "vitest";
import { aRequest, connect, person } from "../../../tests/support/vendors/connect.ts";
import { hear } from "../../../tests/support/vendors/hear.ts";
import { answer, texts } from "../../../tests/support/vendors/samples.ts";
import { type StandIn, startStandIn } from "../../../tests/support/vendors/stand-in.ts";
import { standInOf } from "../../../tests/support/vendors/vendors.ts";
import type { CloudPreset } from "../../shared/cloud.ts";
import type { ModelRequest } from "../../shared/inference.ts";

let server: StandIn | undefined;
afterEach(() => server?.close());

/** The body that a vendor's server gets of a question, and the path it comes to. */
async function sentTo(name: string, preset: Partial<CloudPreset>, more: Partial<ModelRequest> = {}) {
  const vendor = standInOf(name);
  server = await startStandIn({
    wire: vendor.wire,
    base: vendor.base,
    lenient: true,
    script: [answer(texts("Four."))],
  });
  await hear(connect({ vendor, baseUrl: server.baseUrl, preset }).provider, aRequest([person("Hi")], more));
  const [{ body, path } = { body: Buffer.from("{}"), path: "" }] = server.requests;
  await server.close();
  return { path, body: JSON.parse(body.toString()) as Record<string, unknown> };
}

describe("how much a model thinks is told", () => {
  for (const [name, reasoning, part] of [
    ["openai", "high", { reasoning: { effort: "high", summary: "auto" } }],
    ["anthropic", "off", { thinking: { type: "disabled" } }],
    ["deepseek", "low", { thinking: { type: "enabled" } }],
    ["deepseek", "off", { thinking: { type: "disabled" } }],
    ["moonshot", "off", { thinking: { type: "disabled" } }],
    ["qwen", "medium", { enable_thinking: true }],
    ["qwen", "off", { enable_thinking: false }],
    ["openrouter", "medium", { reasoning: { effort: "medium" } }],
    ["openrouter", "off", { reasoning: { enabled: false } }],
    ["groq", "low", { reasoning_effort: "low" }],
    ["xai", "high", { reasoning_effort: "high" }],
    ["custom (as Ollama)", "off", { reasoning_effort: "none" }],
  ] as const) {
    test(`to ${name}: ${reasoning}`, async () => {
      expect((await sentTo(name, { reasoning })).body).toMatchObject(part);
    });
  }

  test("to nobody, where the person did not choose", async () => {
    for (const name of ["openai", "anthropic", "deepseek", "qwen", "openrouter", "custom (as Ollama)"]) {
      const { body } = await sentTo(name, {});
      expect(Object.keys(body).filter((key) => /reason|think/.test(key))).toEqual([]);
    }
  });
});

describe("a request", () => {
  test("is sampled as its vendor likes best, unless the preset says how", async () => {
    const sampling = { temperature: 0.6, topP: 0.9, topK: 40, seed: 7 };
    const { body } = await sentTo("groq", {}, { sampling });
    expect(Object.keys(body).filter((key) => /temperature|top_|seed/.test(key))).toEqual([]);
    expect((await sentTo("groq", { temperature: 1.8 })).body).toMatchObject({ temperature: 1.8 });
    expect((await sentTo("mistral", { temperature: 1.8 })).body).toMatchObject({ temperature: 1.5 });
    expect((await sentTo("anthropic", { temperature: 1.8 })).body).toMatchObject({ temperature: 1 });
  });

  test("asks for no more words than the preset allows, and never for too few", async () => {
    const { body } = await sentTo("groq", { maxOutputTokens: 512 }, { maxOutputTokens: 4096 });
    expect(body).toMatchObject({ max_tokens: 512 });
    expect((await sentTo("openai", {}, { maxOutputTokens: 5 })).body).toMatchObject({ max_output_tokens: 16 });
  });

  test("declares no tools for a preset without them", async () => {
    const { body } = await sentTo("groq", { tools: false });
    expect([body["tools"], body["tool_choice"]]).toEqual([undefined, undefined]);
  });

  test("tells OpenAI to store nothing, whichever way it asks", async () => {
    const responses = await sentTo("openai", {});
    expect([responses.path, responses.body["store"]]).toEqual(["/responses", false]);
    const chat = await sentTo("openai", { model: "gpt-3.5-turbo" });
    expect([chat.path, chat.body["store"]]).toEqual(["/chat/completions", false]);
  });

  test("lets Anthropic keep what it read, up to its end", async () => {
    const { body } = await sentTo("anthropic", {});
    expect(body["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Hi", cache_control: { type: "ephemeral" } }] },
    ]);
  });
});
