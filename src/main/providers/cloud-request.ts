import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createMistral } from "@ai-sdk/mistral";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { CloudPreset } from "../../shared/cloud.ts";
import type { ModelRequest, ToolSpec } from "../../shared/inference.ts";
import { toCloudPrompt } from "./cloud-prompt.ts";
import type { Road } from "./cloud-road.ts";
import type { Protocol, Vendor } from "./vendors.ts";

/** The SDK looks for a key in the environment when it is given none. */
const NO_KEY = "none";

/** Models of OpenAI that only answer chat completions. */
const chatOnly = /^(gpt-3\.5|gpt-4(-\d{4})?$|gpt-4-(turbo|vision|32k)|.*-(audio|search)-preview)/;

/** A vendor's model in its own wire format: no loop, no retry, no telemetry. */
export function languageModel(vendor: Vendor, model: string, key: string | undefined, road: Road): LanguageModelV4 {
  const settings = {
    apiKey: key ?? NO_KEY,
    baseURL: road.baseUrl,
    fetch: (url: string | URL | Request, init?: RequestInit) =>
      road.fetch(url instanceof Request ? url.url : url, init),
  };
  switch (vendor.protocol) {
    case "openai":
      return chatOnly.test(model) ? createOpenAI(settings).chat(model) : createOpenAI(settings).responses(model);
    case "anthropic":
      return createAnthropic(settings)(model);
    case "google":
      return createGoogle(settings)(model);
    case "mistral":
      return createMistral(settings)(model);
    case "compatible": {
      const { apiKey, ...rest } = settings;
      const more = key === undefined ? rest : { ...rest, apiKey };
      return createOpenAICompatible({ name: vendor.id, includeUsage: true, ...more }).chatModel(model);
    }
    default:
      return vendor.protocol satisfies never;
  }
}

/** Above it, these vendors refuse a request. */
const hottest: Partial<Record<Protocol, number>> = { anthropic: 1, mistral: 1.5 };
const LEAST_OUTPUT = 16;

/**
 * A request as the SDK takes it. How the answer is sampled is the preset's affair: what suits a small local model does
 * not suit a vendor's, and many refuse to be told.
 */
export function callOptions(
  { messages, tools, toolChoice, maxOutputTokens }: ModelRequest,
  { vendor, preset, key, signal }: { vendor: Vendor; preset: CloudPreset; key: string; signal: AbortSignal },
): LanguageModelV4CallOptions {
  const { temperature, reasoning, vision, maxOutputTokens: most } = preset;
  const declared = preset.tools ? tools.map(declaredTool) : [];
  const rules = { ...vendor, key, vision, tools: declared.length > 0 };
  return {
    prompt: withCachePoint(toCloudPrompt(messages, rules), vendor),
    maxOutputTokens: Math.max(LEAST_OUTPUT, Math.min(maxOutputTokens, most)),
    ...(temperature !== undefined && { temperature: Math.min(temperature, hottest[vendor.protocol] ?? 2) }),
    ...(declared.length > 0 && { tools: declared, toolChoice: { type: toolChoice } }),
    ...(reasoning !== undefined && !vendor.effort && { reasoning: reasoning === "off" ? "none" : reasoning }),
    providerOptions: vendorOptions(vendor, reasoning),
    abortSignal: signal,
    includeRawChunks: vendor.protocol === "anthropic",
  };
}

const declaredTool = ({ name, description, inputSchema }: ToolSpec): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
});

function vendorOptions({ id, protocol, effort }: Vendor, reasoning: CloudPreset["reasoning"]): SharedV4ProviderOptions {
  const thinks = reasoning !== undefined && reasoning !== "off";
  if (protocol === "openai") return { openai: { store: false, ...(thinks && { reasoningSummary: "auto" }) } };
  if (protocol === "google") return thinks ? { google: { thinkingConfig: { includeThoughts: true } } } : {};
  return effort && reasoning !== undefined ? ({ [id]: effort(reasoning) } as SharedV4ProviderOptions) : {};
}

/** Anthropic keeps what it read of a prompt only where it is told to. */
function withCachePoint(prompt: LanguageModelV4CallOptions["prompt"], { protocol }: Vendor) {
  const last = prompt.at(-1);
  if (protocol !== "anthropic" || !last) return prompt;
  const marked = { ...last, providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } } };
  return [...prompt.slice(0, -1), marked];
}
