import { z } from "zod";
import {
  type Answer,
  type Asked,
  bearer,
  event,
  type Piece,
  type Refusal,
  refused,
  type Wire,
  wholeCalls,
  wholeText,
} from "./script.ts";
import { DataUrl, isRefusal, JsonText, read, ToolName, ToolParameters, unpaired } from "./shape.ts";

/** Mistral's chat: like OpenAI's at first sight, with ids of nine characters and a stricter order of roles. */

const CallId = z.string().regex(/^[a-zA-Z0-9]{9}$/, "must be a-z, A-Z, 0-9, with a length of 9.");
const Text = z.strictObject({ type: z.literal("text"), text: z.string() });
const Image = z.strictObject({ type: z.literal("image_url"), image_url: DataUrl.or(z.strictObject({ url: DataUrl })) });
const Thinking = z.strictObject({
  type: z.literal("thinking"),
  thinking: z.array(Text),
  closed: z.boolean().optional(),
});
const ToolCall = z.strictObject({
  id: CallId,
  type: z.literal("function").optional(),
  index: z.int().optional(),
  function: z.strictObject({ name: ToolName, arguments: JsonText }),
});

const Message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.string().min(1) }),
  z.strictObject({
    role: z.literal("user"),
    content: z
      .string()
      .min(1)
      .or(z.array(Text.or(Image)).min(1)),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z
      .string()
      .or(z.array(Text.or(Thinking)))
      .nullish(),
    tool_calls: z.array(ToolCall).optional(),
    prefix: z.boolean().optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    name: ToolName.optional(),
    tool_call_id: CallId,
    content: z.string(),
  }),
]);
type Message = z.infer<typeof Message>;

const Body = z.strictObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  stream: z.literal(true),
  temperature: z.number().min(0).max(1.5).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.int().min(0).optional(),
  random_seed: z.int().optional(),
  safe_prompt: z.boolean().optional(),
  tool_choice: z.enum(["auto", "none", "any", "required"]).optional(),
  parallel_tool_calls: z.boolean().optional(),
  prompt_mode: z.literal("reasoning").optional(),
  reasoning_effort: z.string().optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function").optional(),
        function: z.strictObject({
          name: ToolName,
          description: z.string().optional(),
          parameters: ToolParameters,
          strict: z.boolean().optional(),
        }),
      }),
    )
    .optional(),
});

/** The documented order: a result only after its call, the person never right after a result, no empty answer. */
function judge({ body }: Asked): Refusal | undefined {
  const asked = read(Body, body, 422);
  if (isRefusal(asked)) return asked;
  const { messages } = asked;
  const broken = unpaired(
    messages.map((message) => {
      if (message.role === "tool") return { result: message.tool_call_id };
      return message.role === "assistant" ? { calls: message.tool_calls?.map(({ id }) => id) ?? [] } : {};
    }),
  );
  if (broken && "missing" in broken) return refused("Not the same number of function calls and responses", 400, "3230");
  if (broken) return refused("Unexpected tool call id in tool results", 400, "3230");
  const wrong = messages.find(
    ({ role }, at) => messages[at - 1]?.role === "tool" && !["tool", "assistant"].includes(role),
  );
  if (wrong) return refused(`Unexpected role '${wrong.role}' after role 'tool'`, 400, "3230");
  if (messages.some((one) => one.role === "assistant" && !one.content?.length && !one.tool_calls?.length))
    return refused("Assistant message must have either content or tool_calls, but not none.", 400, "3240");
  return judgeLast(messages.at(-1));
}

function judgeLast(last: Message | undefined): Refusal | undefined {
  if (last?.role === "user" || last?.role === "tool" || (last?.role === "assistant" && last.prefix)) return undefined;
  return refused(
    `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last?.role}`,
    400,
    "3230",
  );
}

const finishes = { stop: "stop", calls: "tool_calls", length: "length", filter: "error", refusal: "stop" };
const head = { id: "cmpl-e5cc70bb28c444948073e77776eb30ef", object: "chat.completion.chunk", created: 1702256327 };

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  event({ ...head, model: "stand-in-1", choices: [{ index: 0, delta, finish_reason: finish }], ...more });

function deltaOf(piece: Piece): object | undefined {
  if ("text" in piece) return { content: piece.text };
  if ("reasoning" in piece)
    return { content: [{ type: "thinking", thinking: [{ type: "text", text: piece.reasoning }] }] };
  return undefined;
}

const usageOf = ({ input, output, cached }: Answer["tokens"]) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});

const callsOf = (pieces: readonly Piece[]) =>
  wholeCalls(pieces).map(({ id, name, arguments: text }, index) => ({
    id,
    index,
    function: { name, arguments: text },
  }));

/** Calls come whole, and all of them with the end. */
function events({ pieces, finish, tokens }: Answer): string[] {
  const calls = callsOf(pieces);
  const last = calls.length > 0 ? { content: "", tool_calls: calls } : { content: "" };
  return [
    chunk({ role: "assistant", content: "" }),
    ...pieces.flatMap((piece) => deltaOf(piece) ?? []).map((delta) => chunk(delta)),
    chunk(last, finishes[finish], { usage: usageOf(tokens) }),
    event("[DONE]"),
  ];
}

export const mistral: Wire = {
  takes: (path) => path === "/chat/completions",
  keyOf: bearer,
  judge,
  events,
  whole: ({ pieces, finish, tokens }) => ({
    ...{ ...head, object: "chat.completion", model: "stand-in-1", usage: usageOf(tokens) },
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: wholeText(pieces), tool_calls: callsOf(pieces) },
        finish_reason: finishes[finish],
      },
    ],
  }),
  error: ({ status, message, kind }) =>
    status === 401
      ? { detail: message }
      : { object: "error", message, type: "invalid_request_error", param: null, code: kind ?? null },
  models: (ids) => ({
    object: "list",
    data: ids.map((id) => ({
      ...{ id, object: "model", owned_by: "mistralai", max_context_length: 131_072 },
      capabilities: { completion_chat: true, function_calling: true, vision: true },
    })),
  }),
};
