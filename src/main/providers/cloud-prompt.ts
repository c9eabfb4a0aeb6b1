import { createHash } from "node:crypto";
import type { LanguageModelV4Message, LanguageModelV4Prompt, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { z } from "zod";
import type { PromptMessage } from "../../shared/inference.ts";
import type { Part, ToolCallPart } from "../../shared/message.ts";
import type { Vendor } from "./vendors.ts";

type Role = Exclude<LanguageModelV4Message["role"], "system">;
type Spoken<R extends Role = Role> = Extract<LanguageModelV4Message, { role: R }>;
type Said = Spoken<"assistant">["content"][number];

/** What a vendor gave with a model's words and wants to see again with them. */
const Sealed = z.record(z.string(), z.record(z.string(), z.json()));
export type Sealed = z.infer<typeof Sealed>;

/**
 * The `raw` of reasoning and of calls that came from a cloud model: valid only for the same model with the same
 * parameters. Neighbouring pieces of reasoning are one part of a message, so it holds them one by one.
 */
const Raw = z.object({
  key: z.string(),
  thoughts: z.array(z.object({ text: z.string(), sealed: Sealed.optional() })).optional(),
  sealed: Sealed.optional(),
});
export type Raw = z.infer<typeof Raw>;

export interface PromptRules extends Pick<Vendor, "thoughts" | "strictRoles"> {
  /** The key of the model that reads it. */
  readonly key: string;
  readonly vision: boolean;
  /** The request declares tools. Without that, vendors refuse calls in a history: they are told in words. */
  readonly tools: boolean;
}

/** What stands where every vendor wants something to stand. Each is true wherever it can appear. */
const fillers = {
  beginning: "(The beginning of this conversation was left out.)",
  interrupted: "(No answer was given here.)",
  goOn: "Go on exactly where your answer stopped. Do not repeat any of it.",
} as const;

/**
 * A prompt as vendors take it: the system's words first, roles that alternate and end with the person or a tool, no
 * empty text, ids of calls that no vendor finds too long, and nothing that belongs to another model.
 */
export function toCloudPrompt(messages: readonly PromptMessage[], rules: PromptRules): LanguageModelV4Prompt {
  const system = messages.flatMap(({ role, parts }) => (role === "system" ? [wordsOf(parts)] : [])).filter(hasWords);
  const spoken = messages.flatMap((message) => speak(message, rules));
  return [
    ...(system.length > 0 ? [{ role: "system" as const, content: system.join("\n\n") }] : []),
    ...inTurns(spoken, rules.strictRoles === true),
  ];
}

const hasWords = (text: string): boolean => text.trim() !== "";

const wordsOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.type === "text" || part.type === "context" ? [part.text] : [])).join("\n\n");

function speak({ role, parts }: PromptMessage, rules: PromptRules): Spoken[] {
  const message =
    role === "assistant" ? said(parts, rules) : role === "tool" ? results(parts, rules) : heard(role, parts, rules);
  return message && message.content.length > 0 ? [message] : [];
}

function heard(role: PromptMessage["role"], parts: readonly Part[], { vision }: PromptRules): Spoken | undefined {
  if (role === "system") return undefined;
  return { role: "user", content: parts.flatMap((part) => heardPart(part, vision)) };
}

function heardPart(part: Part, vision: boolean): Spoken<"user">["content"] {
  if (part.type === "image" && vision)
    return [{ type: "file", mediaType: part.mediaType, data: { type: "data", data: part.data } }];
  if (part.type === "image") return [{ type: "text", text: leftOut(part.name) }];
  const text = part.type === "text" || part.type === "context" ? part.text : "";
  return hasWords(text) ? [{ type: "text", text }] : [];
}

const leftOut = (name: string | undefined): string =>
  `[An image${name === undefined ? "" : `, ${name},`} was left out: this model reads no images.]`;

function said(parts: readonly Part[], rules: PromptRules): Spoken {
  const content = parts.flatMap((part) => saidPart(part, rules));
  const isMuteCall =
    content.some(({ type }) => type === "tool-call") && !content.some(({ type }) => type === "reasoning");
  const thought = rules.thoughts === "with-calls" && isMuteCall ? [{ type: "reasoning" as const, text: " " }] : [];
  return { role: "assistant", content: [...thought, ...content] };
}

function saidPart(part: Part, rules: PromptRules): Said[] {
  if (part.type === "text") return hasWords(part.text) ? [{ type: "text", text: part.text }] : [];
  if (part.type === "reasoning") return thoughtsOf(part.raw, rules);
  if (part.type !== "tool-call") return [];
  if (!rules.tools) return [{ type: "text", text: `(Called ${part.name} with ${JSON.stringify(part.input)})` }];
  return [
    { type: "tool-call", toolCallId: shortId(part.id), toolName: part.name, input: part.input, ...sealOf(part, rules) },
  ];
}

/** Only what this very model thought, and what its vendor takes back. */
function thoughtsOf(raw: unknown, { key, thoughts }: PromptRules): Said[] {
  const own = thoughts === "never" ? undefined : ownRaw(raw, key)?.thoughts;
  return (own ?? [])
    .filter(({ text, sealed }) => (thoughts === "sealed" ? sealed !== undefined : text !== ""))
    .map(({ text, sealed }) => ({ type: "reasoning", text, ...optionsOf(sealed) }));
}

const sealOf = ({ raw }: ToolCallPart, { key }: PromptRules) => optionsOf(ownRaw(raw, key)?.sealed);

const optionsOf = (sealed: Sealed | undefined) =>
  sealed ? { providerOptions: sealed as SharedV4ProviderOptions } : {};

function ownRaw(raw: unknown, key: string): Raw | undefined {
  const { success, data } = Raw.safeParse(raw);
  return success && data.key === key ? data : undefined;
}

function results(parts: readonly Part[], { tools }: PromptRules): Spoken {
  const told = parts.filter((part) => part.type === "tool-result");
  if (!tools)
    return {
      role: "user",
      content: told.map(({ name, text }) => ({ type: "text", text: `(Result of ${name})\n${text}` })),
    };
  return {
    role: "tool",
    content: told.map(({ callId, name, text, failed }) => ({
      type: "tool-result",
      toolCallId: shortId(callId),
      toolName: name,
      output: { type: failed ? "error-text" : "text", value: text },
    })),
  };
}

/** Our ids are longer than some vendors allow. Nine letters and digits suit them all; the same id is always the same nine. */
function shortId(id: string): string {
  const digest = createHash("sha256").update(id).digest("base64");
  return digest.replace(/[^a-zA-Z0-9]/g, "").slice(0, 9);
}

/** Neighbours of one role as one message, and somebody's words wherever a vendor misses them. */
function inTurns(messages: readonly Spoken[], strictRoles: boolean): Spoken[] {
  const turns: Spoken[] = [];
  if (messages[0]?.role !== "user") turns.push(userSays(fillers.beginning));
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) turns[turns.length - 1] = merged(last, message);
    else if (strictRoles && last?.role === "tool" && message.role === "user")
      turns.push(assistantSays(fillers.interrupted), message);
    else turns.push(message);
  }
  if (turns.at(-1)?.role === "assistant") turns.push(userSays(fillers.goOn));
  return turns;
}

const merged = (one: Spoken, other: Spoken): Spoken =>
  ({ role: one.role, content: [...one.content, ...other.content] }) as Spoken;

const userSays = (text: string): Spoken => ({ role: "user", content: [{ type: "text", text }] });
const assistantSays = (text: string): Spoken => ({ role: "assistant", content: [{ type: "text", text }] });
