import { z } from "zod";
import {
  type Answer,
  type Asked,
  event,
  type Piece,
  type Refusal,
  refused,
  type Wire,
  wholeCalls,
  wholeReasoning,
  wholeText,
} from "./script.ts";
import { sealOf } from "./seal.ts";
import { isRefusal, read, ToolParameters } from "./shape.ts";

/** Anthropic's Messages: blocks with numbers, and an event for the beginning and the end of each. */

const Cache = { cache_control: z.looseObject({ type: z.literal("ephemeral") }).optional() };
const Name = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const UseId = z.string().regex(/^[a-zA-Z0-9_-]+$/);

const Text = z.strictObject({
  type: z.literal("text"),
  text: z.string().regex(/\S/, "text content blocks must contain non-whitespace text"),
  ...Cache,
});
const Image = z.strictObject({
  type: z.literal("image"),
  source: z.strictObject({
    type: z.literal("base64"),
    media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
    data: z.base64(),
  }),
  ...Cache,
});
const Thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const ToolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: UseId,
  name: Name,
  input: z.record(z.string(), z.unknown()),
  ...Cache,
});
const ToolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: UseId,
  content: z
    .string()
    .or(z.array(Text.or(Image)))
    .optional(),
  is_error: z.boolean().optional(),
  ...Cache,
});

const Message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), content: z.array(z.union([Text, Image, ToolResult])).min(1) }),
  z.strictObject({ role: z.literal("assistant"), content: z.array(z.union([Text, Thinking, ToolUse])).min(1) }),
]);
type Message = z.infer<typeof Message>;

const Body = z.strictObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  max_tokens: z.int().min(1),
  stream: z.literal(true),
  system: z.string().or(z.array(Text)).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string()).optional(),
  thinking: z.looseObject({ type: z.enum(["enabled", "disabled", "adaptive"]) }).optional(),
  output_config: z.looseObject({}).optional(),
  tool_choice: z.looseObject({ type: z.enum(["auto", "any", "none", "tool"]) }).optional(),
  tools: z
    .array(
      z.strictObject({
        name: Name,
        description: z.string().optional(),
        input_schema: ToolParameters,
        strict: z.boolean().optional(),
        eager_input_streaming: z.boolean().optional(),
        ...Cache,
      }),
    )
    .optional(),
});

/** Messages of one role after each other are read as one. */
function merged(messages: readonly Message[]): Message[] {
  const out: { role: Message["role"]; content: Message["content"] }[] = [];
  for (const { role, content } of messages) {
    const last = out.at(-1);
    if (last?.role === role) last.content = [...last.content, ...content] as Message["content"];
    else out.push({ role, content });
  }
  return out as Message[];
}

function judge({ body, headers }: Asked): Refusal | undefined {
  if (headers["anthropic-version"] !== "2023-06-01") return refused("anthropic-version: header is required");
  const asked = read(Body, body);
  if (isRefusal(asked)) return asked;
  const isThinking = asked.thinking?.type === "enabled" || asked.thinking?.type === "adaptive";
  if (isThinking && asked.temperature !== undefined && asked.temperature !== 1)
    return refused("`temperature` may only be set to 1 when thinking is enabled.");
  const budget = asked.thinking?.budget_tokens;
  if (typeof budget === "number" && (budget < 1024 || budget >= asked.max_tokens))
    return refused("`max_tokens` must be greater than `thinking.budget_tokens`, which must be at least 1024.");
  return judgeOrder(merged(asked.messages), isThinking);
}

function judgeOrder(messages: readonly Message[], isThinking: boolean): Refusal | undefined {
  if (messages[0]?.role !== "user") return refused('messages: first message must use the "user" role');
  for (const [at, message] of messages.entries()) {
    const before = messages[at - 1];
    const wrong =
      message.role === "user"
        ? judgeResults(message.content, before?.role === "assistant" ? before.content : [], at)
        : judgeBlocks(message.content, isThinking, at);
    if (wrong) return wrong;
  }
  const last = messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  const end = last.content.at(-1);
  if (end?.type === "tool_use") return refused("`tool_use` ids were found without `tool_result` blocks");
  return end?.type === "text" && /\s$/.test(end.text)
    ? refused("messages: final assistant content cannot end with trailing whitespace")
    : undefined;
}

type Blocks<Role extends Message["role"]> = Extract<Message, { role: Role }>["content"];

function judgeResults(content: Blocks<"user">, before: Blocks<"assistant">, at: number): Refusal | undefined {
  const used = before.flatMap((block) => (block.type === "tool_use" ? block.id : []));
  const results = content.flatMap((block) => (block.type === "tool_result" ? block.tool_use_id : []));
  const missing = used.filter((id) => !results.includes(id));
  if (missing.length > 0)
    return refused(
      `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}.`,
    );
  const stray = results.find((id) => !used.includes(id));
  if (stray !== undefined)
    return refused(`messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}.`);
  const firstOther = content.findIndex((block) => block.type !== "tool_result");
  return results.length > 0 && firstOther >= 0 && firstOther < results.length
    ? refused(`messages.${at}: \`tool_result\` blocks must come first.`)
    : undefined;
}

function judgeBlocks(content: Blocks<"assistant">, isThinking: boolean, at: number): Refusal | undefined {
  for (const block of content)
    if (block.type === "thinking" && block.signature !== sealOf("anthropic", block.thinking))
      return refused(`messages.${at}.content.0: Invalid \`signature\` in \`thinking\` block`);
  const calls = content.some(({ type }) => type === "tool_use");
  return isThinking && calls && content[0]?.type !== "thinking"
    ? refused(
        `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${content[0]?.type}\`.`,
      )
    : undefined;
}

const stops = { stop: "end_turn", calls: "tool_use", length: "max_tokens", filter: "refusal", refusal: "refusal" };

interface Block {
  readonly start: object;
  readonly deltas: object[];
  readonly thoughts?: true;
}

/** Neighbouring pieces of one kind are one block; thoughts end with their seal. */
function blocksOf(pieces: readonly Piece[]): Block[] {
  const blocks: (Block & { of: string })[] = [];
  for (const piece of pieces) {
    const of = "call" in piece ? `call ${piece.call}` : "text" in piece ? "text" : "thinking";
    if (blocks.at(-1)?.of !== of) blocks.push({ of, start: startOf(piece), deltas: [] });
    const delta = deltaOf(piece);
    if (delta) blocks.at(-1)!.deltas.push(delta);
  }
  const seal = { type: "signature_delta", signature: sealOf("anthropic", wholeReasoning(pieces)) };
  for (const { of, deltas } of blocks) if (of === "thinking") deltas.push(seal);
  return blocks;
}

function startOf(piece: Piece): object {
  if ("name" in piece) return { type: "tool_use", id: piece.id, name: piece.name, input: {} };
  return "text" in piece ? { type: "text", text: "" } : { type: "thinking", thinking: "", signature: "" };
}

function deltaOf(piece: Piece): object | undefined {
  if ("text" in piece) return { type: "text_delta", text: piece.text };
  if ("reasoning" in piece) return { type: "thinking_delta", thinking: piece.reasoning };
  return "arguments" in piece ? { type: "input_json_delta", partial_json: piece.arguments } : undefined;
}

const usageOf = ({ input, output, cached }: Answer["tokens"]) => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
});

const message = { id: "msg_014p7gG3wDgGV9EUtLvnow3U", type: "message", role: "assistant", model: "stand-in-1" };

function events({ pieces, finish, tokens }: Answer): string[] {
  const say = (type: string, more: object = {}) => event({ type, ...more }, type);
  const usage = usageOf(tokens);
  return [
    say("message_start", {
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    say("ping"),
    ...blocksOf(pieces).flatMap(({ start, deltas }, index) => [
      say("content_block_start", { index, content_block: start }),
      ...deltas.map((delta) => say("content_block_delta", { index, delta })),
      say("content_block_stop", { index }),
    ]),
    say("message_delta", { delta: { stop_reason: stops[finish], stop_sequence: null }, usage }),
    say("message_stop"),
  ];
}

const kinds: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export const anthropic: Wire = {
  takes: (path) => path === "/messages",
  keyOf: (headers) => headers["x-api-key"]?.toString(),
  judge,
  events,
  whole: ({ pieces, finish, tokens }) => ({
    ...message,
    content: [
      { type: "text", text: wholeText(pieces) },
      ...wholeCalls(pieces).map(({ id, name, arguments: text }) => ({
        ...{ type: "tool_use", id, name },
        input: JSON.parse(text),
      })),
    ],
    stop_reason: stops[finish],
    usage: usageOf(tokens),
  }),
  error: ({ status, message: text, kind }) => ({
    type: "error",
    error: { type: kind ?? kinds[status] ?? (status >= 500 ? "api_error" : "invalid_request_error"), message: text },
    request_id: "req_011CSHoEeqs5C35K2UUqR7Fy",
  }),
  models: (ids) => ({
    data: ids.map((id) => ({ type: "model", id, display_name: id, created_at: "2026-02-19T00:00:00Z" })),
    ...{ has_more: false, first_id: ids[0], last_id: ids.at(-1) },
  }),
};
