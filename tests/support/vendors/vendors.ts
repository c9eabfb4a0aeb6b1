import type { VendorId } from "../../../src/shared/cloud.ts";
import { anthropic } from "./anthropic.ts";
import { chatCompletions, type Flavour } from "./chat-completions.ts";
import { google } from "./google.ts";
import { mistral } from "./mistral.ts";
import { responses } from "./responses.ts";
import { reasons } from "./samples.ts";
import type { Refusal, Wire } from "./script.ts";
import { sealOf } from "./seal.ts";

/** What stands in for a vendor, and what its model can do. */
export interface Vendor {
  readonly name: string;
  readonly vendor: VendorId;
  readonly wire: Wire;
  readonly base: string;
  /** A name that this vendor gives a model which thinks. */
  readonly model: string;
  /** It tells what its model thinks. */
  readonly tellsThoughts: boolean;
  /** Its ids of calls, as long as they come. */
  readonly callId: (at: number) => string;
  /** What has to stand in the request that brings the results of a call back; absent: it wants nothing of its model's thoughts. */
  readonly bringsBack?: string;
  /** It never says why it kept silent. */
  readonly noFilter?: true;
  readonly keyless?: true;
}

const plain = { reasoning: "reasoning_content", reasoningBack: "allowed" } satisfies Flavour;
const longId = (at: number) => `call_${"0123456789abcdef".repeat(4)}_${at}`;
const shortId = (at: number) => `call_abc${at}`;
const errorOf =
  (more: (refusal: Refusal) => object): Wire["error"] =>
  (refusal) => ({ error: more(refusal) });

const moonshot: Flavour = {
  reasoning: "reasoning_content",
  reasoningBack: "demanded",
  error: errorOf(({ status, message, kind }) => ({ message, type: kind ?? moonshotKinds[status] ?? "server_error" })),
};
const moonshotKinds: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "invalid_authentication_error",
  402: "exceeded_current_quota_error",
  404: "resource_not_found_error",
  429: "rate_limit_reached_error",
};
const openrouter: Flavour = {
  reasoning: "reasoning",
  reasoningBack: "allowed",
  comment: "OPENROUTER PROCESSING",
  error: errorOf(({ status: code, message }) => ({ code, message, metadata: { provider_name: "Stand-in" } })),
};
const groq: Flavour = { reasoning: "reasoning", reasoningBack: "refused", usageIn: "x_groq" };
const qwen: Flavour = {
  ...plain,
  error: errorOf(({ message, kind }) => ({
    message,
    type: kind ?? "invalid_request_error",
    param: null,
    code: kind ?? null,
  })),
};
const ollama: Flavour = {
  reasoning: "reasoning",
  reasoningBack: "allowed",
  wholeCalls: true,
  keyless: true,
  error: errorOf(({ message }) => ({ message, type: "api_error", param: null, code: null })),
};
const xai: Flavour = {
  ...plain,
  wholeCalls: true,
  error: ({ message, kind }) => ({ code: kind ?? "Client specified an invalid argument", error: message }),
};

const compatible = (flavour: Flavour) => ({ wire: chatCompletions(flavour), base: "/v1" });

/** One row a vendor, and one more for each format and server that a `custom` address may speak. */
export const standIns: readonly Vendor[] = [
  {
    name: "openai",
    vendor: "openai",
    wire: responses,
    base: "/v1",
    model: "gpt-5.2",
    tellsThoughts: true,
    callId: shortId,
    bringsBack: sealOf("openai", reasons),
  },
  {
    ...{ name: "anthropic", vendor: "anthropic", wire: anthropic, base: "/v1", model: "claude-sonnet-4-5" },
    ...{
      tellsThoughts: true,
      callId: (at) => `toolu_01VpEm654HvfMoRcrE3Hgdc${at}`,
      bringsBack: sealOf("anthropic", reasons),
    },
  },
  {
    ...{ name: "google", vendor: "google", wire: google, base: "/v1beta", model: "gemini-3-pro-preview" },
    ...{ tellsThoughts: true, callId: shortId, bringsBack: sealOf("google", '{"path":"a.txt"}') },
  },
  {
    ...{ name: "mistral", vendor: "mistral", wire: mistral, base: "/v1", model: "magistral-medium-latest" },
    ...{ tellsThoughts: true, callId: (at) => `D681PevK${at}`, bringsBack: reasons, noFilter: true },
  },
  {
    ...{ name: "deepseek", vendor: "deepseek", ...compatible({ ...plain, reasoningBack: "demanded" }), base: "" },
    ...{ model: "deepseek-reasoner", tellsThoughts: true, callId: (at) => `call_00_${at}`, bringsBack: reasons },
  },
  {
    ...{ name: "groq", vendor: "groq", ...compatible(groq), base: "/openai/v1", model: "openai/gpt-oss-120b" },
    ...{ tellsThoughts: true, callId: shortId },
  },
  { name: "xai", vendor: "xai", ...compatible(xai), model: "grok-4", tellsThoughts: true, callId: shortId },
  {
    ...{ name: "openrouter", vendor: "openrouter", ...compatible({ ...openrouter, longestId: 200 }), base: "/api/v1" },
    ...{ model: "qwen/qwen3-235b", tellsThoughts: true, callId: longId },
  },
  {
    ...{ name: "moonshot", vendor: "moonshot", ...compatible(moonshot), model: "kimi-k2-thinking" },
    ...{ tellsThoughts: true, callId: (at) => `functions.read:${at}`, bringsBack: reasons },
  },
  {
    ...{ name: "qwen", vendor: "qwen", ...compatible(qwen), base: "/compatible-mode/v1", model: "qwen3-max" },
    ...{ tellsThoughts: true, callId: shortId },
  },
  {
    ...{ name: "custom (as OpenAI)", vendor: "custom", ...compatible({ reasoningBack: "refused" }), model: "gpt-4.1" },
    ...{ tellsThoughts: false, callId: shortId },
  },
  {
    ...{
      name: "custom (as Ollama)",
      vendor: "custom",
      ...compatible({ ...ollama, longestId: 200 }),
      model: "qwen3:8b",
    },
    ...{ tellsThoughts: true, callId: longId, keyless: true },
  },
];

export const standInOf = (name: string): Vendor => standIns.find((one) => one.name === name)!;
