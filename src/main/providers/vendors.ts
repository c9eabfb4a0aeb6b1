import type { CloudPreset, VendorId } from "../../shared/cloud.ts";

/** The wire formats that are spoken; `compatible` is the chat completions of OpenAI, as others took them over. */
export type Protocol = "openai" | "anthropic" | "google" | "mistral" | "compatible";

type Effort = NonNullable<CloudPreset["reasoning"]>;

export interface Vendor {
  readonly id: VendorId;
  /** As it calls itself. */
  readonly name: string;
  /** Where its requests go; empty: the person says. */
  readonly baseUrl: string;
  readonly needsKey: boolean;
  /** Where a person gets a key. */
  readonly keyPage?: string;
  readonly protocol: Protocol;
  /**
   * What of a model's own reasoning it takes back. sealed: only with its signature. text: as it was told. with-calls:
   * it refuses calls that come back without any. never: it refuses, or has no use for it.
   */
  readonly thoughts: "sealed" | "text" | "with-calls" | "never";
  /** It wants an assistant's words between a tool's result and the person's. */
  readonly strictRoles?: boolean;
  /** How much a model thinks, where the protocol's own way (`reasoning_effort`) is not this vendor's. */
  readonly effort?: (effort: Effort) => Readonly<Record<string, unknown>>;
}

const compatible = { needsKey: true, protocol: "compatible", thoughts: "never" } as const;

const thinkingSwitch = (effort: Effort) => ({ thinking: { type: effort === "off" ? "disabled" : "enabled" } });

/** Every vendor that Lares knows, in the order in which they are offered. */
export const vendors: Readonly<Record<VendorId, Vendor>> = {
  openai: {
    ...{ id: "openai", name: "OpenAI", baseUrl: "https://api.openai.com/v1", needsKey: true },
    ...{ keyPage: "https://platform.openai.com/api-keys", protocol: "openai", thoughts: "sealed" },
  },
  anthropic: {
    ...{ id: "anthropic", name: "Anthropic", baseUrl: "https://api.anthropic.com/v1", needsKey: true },
    ...{ keyPage: "https://console.anthropic.com/settings/keys", protocol: "anthropic", thoughts: "sealed" },
  },
  google: {
    ...{ id: "google", name: "Google", baseUrl: "https://generativelanguage.googleapis.com/v1beta", needsKey: true },
    ...{ keyPage: "https://aistudio.google.com/apikey", protocol: "google", thoughts: "sealed" },
  },
  mistral: {
    ...{ id: "mistral", name: "Mistral", baseUrl: "https://api.mistral.ai/v1", needsKey: true },
    ...{ keyPage: "https://console.mistral.ai/api-keys", protocol: "mistral", thoughts: "text", strictRoles: true },
  },
  deepseek: {
    ...{ ...compatible, id: "deepseek", name: "DeepSeek", baseUrl: "https://api.deepseek.com" },
    ...{ keyPage: "https://platform.deepseek.com/api_keys", thoughts: "with-calls", effort: thinkingSwitch },
  },
  groq: {
    ...{ ...compatible, id: "groq", name: "Groq", baseUrl: "https://api.groq.com/openai/v1" },
    keyPage: "https://console.groq.com/keys",
  },
  xai: {
    ...{ ...compatible, id: "xai", name: "xAI", baseUrl: "https://api.x.ai/v1" },
    keyPage: "https://console.x.ai",
  },
  openrouter: {
    ...{ ...compatible, id: "openrouter", name: "OpenRouter", baseUrl: "https://openrouter.ai/api/v1" },
    keyPage: "https://openrouter.ai/settings/keys",
    effort: (effort) => ({ reasoning: effort === "off" ? { enabled: false } : { effort } }),
  },
  moonshot: {
    ...{ ...compatible, id: "moonshot", name: "Moonshot", baseUrl: "https://api.moonshot.ai/v1" },
    ...{ keyPage: "https://platform.moonshot.ai/console/api-keys", thoughts: "with-calls", effort: thinkingSwitch },
  },
  qwen: {
    ...{ ...compatible, id: "qwen", name: "Qwen", baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1" },
    keyPage: "https://modelstudio.console.alibabacloud.com",
    effort: (effort) => ({ enable_thinking: effort !== "off" }),
  },
  custom: {
    ...{ ...compatible, id: "custom", name: "OpenAI-compatible server", baseUrl: "", needsKey: false },
    strictRoles: true,
  },
};
