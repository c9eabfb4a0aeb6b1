import { afterEach, describe, expect, test } from "vitest";
import { connect } from "../../../tests/support/vendors/connect.ts";
import { jsonReply, type StandIn, startStandIn } from "../../../tests/support/vendors/stand-in.ts";
import { standInOf } from "../../../tests/support/vendors/vendors.ts";
import type { OfferedModel } from "../../shared/cloud.ts";

let server: StandIn | undefined;
afterEach(() => server?.close());

/** What comes of a list as a vendor's server gives it. */
async function listOf(name: string, list: unknown): Promise<OfferedModel[]> {
  const vendor = standInOf(name);
  const wire = { ...vendor.wire, models: () => list };
  server = await startStandIn({ wire, base: vendor.base, script: [jsonReply(500, {})] });
  return connect({ vendor, baseUrl: server.baseUrl }).models();
}

const rows: readonly { name: string; vendor: string; list: unknown; is: readonly OfferedModel[] }[] = [
  {
    name: "OpenAI tells ids, which are sorted",
    vendor: "openai",
    list: { object: "list", data: [{ id: "gpt-5" }, { id: "gpt-4.1", owned_by: "openai" }] },
    is: [{ id: "gpt-4.1" }, { id: "gpt-5" }],
  },
  {
    name: "Anthropic tells names",
    vendor: "anthropic",
    list: { data: [{ type: "model", id: "claude-x", display_name: "Claude X", created_at: "2026-01-01" }] },
    is: [{ id: "claude-x", name: "Claude X" }],
  },
  {
    name: "Google tells windows, and what is not for chat",
    vendor: "google",
    list: {
      models: [
        {
          ...{ name: "models/gemini-x", displayName: "Gemini X", inputTokenLimit: 1000, outputTokenLimit: 100 },
          supportedGenerationMethods: ["generateContent"],
        },
        { name: "models/embedding-x", supportedGenerationMethods: ["embedContent"] },
      ],
    },
    is: [{ id: "gemini-x", name: "Gemini X", window: 1000, maxOutputTokens: 100 }],
  },
  {
    name: "Mistral tells what a model can do",
    vendor: "mistral",
    list: {
      data: [
        {
          id: "m",
          max_context_length: 131_072,
          capabilities: { completion_chat: true, vision: true, function_calling: false },
        },
        { id: "ocr", capabilities: { completion_chat: false } },
      ],
    },
    is: [{ id: "m", window: 131_072, vision: true, tools: false }],
  },
  {
    name: "OpenRouter tells windows, images and tools",
    vendor: "openrouter",
    list: {
      data: [
        {
          ...{ id: "a/b", name: "A: B", context_length: 200_000, supported_parameters: ["tools", "seed"] },
          architecture: { input_modalities: ["text", "image"] },
          top_provider: { max_completion_tokens: 8192 },
        },
      ],
    },
    is: [{ id: "a/b", name: "A: B", window: 200_000, maxOutputTokens: 8192, vision: true, tools: true }],
  },
  {
    name: "LM Studio's and vLLM's own words are understood, and unknown ones do no harm",
    vendor: "custom (as OpenAI)",
    list: {
      data: [
        { id: "a", max_model_len: 4096, capabilities: ["tool_use"] },
        { id: "b", context_length: null, x: [1] },
      ],
    },
    is: [{ id: "a", window: 4096 }, { id: "b" }],
  },
];

describe("the models of a connection", () => {
  for (const { name, vendor, list, is } of rows) {
    test(name, async () => {
      expect(await listOf(vendor, list)).toEqual(is);
    });
  }

  test("that answers with something else are no models", async () => {
    await expect(listOf("groq", { hello: "world" })).rejects.toMatchObject({ code: "not-an-api" });
  });

  test("are refused for a wrong key, in the vendor's words, and Google's key is in no address", async () => {
    const vendor = standInOf("google");
    server = await startStandIn({ wire: vendor.wire, base: vendor.base, key: "another", script: [jsonReply(500, {})] });
    const { models } = connect({ vendor, baseUrl: server.baseUrl, key: "sk-wrong-key-4711" });
    await expect(models("key-test")).rejects.toMatchObject({
      code: "key-refused",
      message: expect.stringContaining("Incorrect API key"),
    });
    expect(server.requests[0]?.path).not.toContain("4711");
  });
});
