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
  wholeReasoning,
  wholeText,
} from "./script.ts";
import { DataUrl, isRefusal, JsonText, read, ToolName, ToolParameters, unpaired } from "./shape.ts";

/** How a server that speaks the protocol of OpenAI differs from OpenAI. */
export interface Flavour {
  /** Where it puts what the model thinks; absent: it does not tell. */
  readonly reasoning?: "reasoning_content" | "reasoning";
  /** What it does when an assistant message with calls comes back without its reasoning, or with it. */
  readonly reasoningBack: "demanded" | "allowed" | "refused";
  /** A comment that it sends while it works. */
  readonly comment?: string;
  /** Calls come whole in one event, as Ollama and xAI send them. */
  readonly wholeCalls?: true;
  /** Groq tells the usage in its own field of the last event. */
  readonly usageIn?: "x_groq";
  /** The longest id of a call that is taken back. */
  readonly longestId?: number;
  /** It has no keys. */
  readonly keyless?: true;
  readonly error?: Wire["error"];
}

const finishes = { stop: "stop", calls: "tool_calls", length: "length", filter: "content_filter", refusal: "stop" };

const Text = z.strictObject({ type: z.literal("text"), text: z.string() });
const Image = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({ url: DataUrl, detail: z.string().optional() }),
});

const callOf = (longestId: number) =>
  z.strictObject({
    id: z.string().min(1).max(longestId),
    type: z.literal("function"),
    function: z.strictObject({ name: ToolName, arguments: JsonText }),
  });

const messageOf = ({ reasoning, reasoningBack, longestId = 40 }: Flavour) =>
  z.discriminatedUnion("role", [
    z.strictObject({ role: z.enum(["system", "developer"]), content: z.string().min(1) }),
    z.strictObject({
      role: z.literal("user"),
      content: z
        .string()
        .min(1)
        .or(z.array(Text.or(Image)).min(1)),
    }),
    z.strictObject({
      role: z.literal("assistant"),
      content: z.string().nullish(),
      tool_calls: z.array(callOf(longestId)).min(1).optional(),
      ...(reasoning && reasoningBack !== "refused" && { [reasoning]: z.string().optional() }),
      ...(reasoning === "reasoning" &&
        reasoningBack !== "refused" && { reasoning_details: z.array(z.unknown()).optional() }),
    }),
    z.strictObject({ role: z.literal("tool"), tool_call_id: z.string().min(1).max(longestId), content: z.string() }),
  ]);

const bodyOf = (flavour: Flavour) =>
  z.strictObject({
    model: z.string().min(1),
    messages: z.array(messageOf(flavour)).min(1),
    stream: z.boolean().optional(),
    stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    seed: z.int().optional(),
    max_tokens: z.int().min(1).optional(),
    max_completion_tokens: z.int().min(1).optional(),
    tool_choice: z.enum(["auto", "none", "required"]).optional(),
    reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high"]).optional(),
    reasoning: z.looseObject({}).optional(),
    thinking: z.looseObject({}).optional(),
    enable_thinking: z.boolean().optional(),
    store: z.boolean().optional(),
    tools: z
      .array(
        z.strictObject({
          type: z.literal("function"),
          function: z.strictObject({
            name: ToolName,
            description: z.string().max(1024).optional(),
            parameters: ToolParameters.optional(),
            strict: z.boolean().optional(),
          }),
        }),
      )
      .min(1)
      .max(128)
      .optional(),
  });

type Message = z.infer<ReturnType<typeof messageOf>>;

/** The rules between messages, and for an answer that called or said nothing. */
function judgeOrder(messages: readonly Message[], { reasoning, reasoningBack }: Flavour): Refusal | undefined {
  const broken = unpaired(
    messages.map((message) => {
      if (message.role === "tool") return { result: message.tool_call_id };
      return message.role === "assistant" ? { calls: message.tool_calls?.map(({ id }) => id) ?? [] } : {};
    }),
  );
  if (broken && "missing" in broken)
    return refused(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${broken.missing.join(", ")}`,
    );
  if (broken) return refused(`messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`);
  const said = messages.filter((message) => message.role === "assistant");
  if (said.some(({ content, tool_calls }) => !content && !tool_calls))
    return refused("Invalid value for 'content': expected a string, got null.");
  const isMissing = said.some((message) => message.tool_calls && reasoning && !(reasoning in message));
  return isMissing && reasoningBack === "demanded"
    ? refused(`thinking is enabled but ${reasoning} is missing in assistant tool call message`)
    : undefined;
}

function judge({ body }: Asked, flavour: Flavour): Refusal | undefined {
  const asked = read(bodyOf(flavour), body);
  if (isRefusal(asked)) return asked;
  if (asked.stream !== true) return refused("This stand-in was written for streams.");
  if (asked.tool_choice !== undefined && asked.tools === undefined)
    return refused("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.");
  return judgeOrder(asked.messages, flavour);
}

const head = { id: "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG", object: "chat.completion.chunk", created: 1733162258 };

const chunk = (delta: object, finish: string | null = null, more: object = {}) =>
  event({ ...head, model: "stand-in-1", choices: [{ index: 0, delta, finish_reason: finish }], ...more });

function deltaOf(piece: Piece, { reasoning }: Flavour): object | undefined {
  if ("text" in piece) return { content: piece.text };
  if ("reasoning" in piece) return reasoning && { [reasoning]: piece.reasoning };
  const { call: index } = piece;
  if ("name" in piece)
    return { tool_calls: [{ index, id: piece.id, type: "function", function: { name: piece.name, arguments: "" } }] };
  return { tool_calls: [{ index, function: { arguments: piece.arguments } }] };
}

const usageOf = ({ input, output, cached, thought }: Answer["tokens"]) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: thought },
});

function events(answer: Answer, flavour: Flavour): string[] {
  const { pieces, finish, tokens } = answer;
  const spoken = flavour.wholeCalls ? pieces.filter((piece) => !("call" in piece)) : pieces;
  const deltas = spoken.flatMap((piece) => {
    const refusal = finish === "refusal" && "text" in piece ? { refusal: piece.text } : undefined;
    return refusal ?? deltaOf(piece, flavour) ?? [];
  });
  const whole = flavour.wholeCalls
    ? wholeCalls(pieces).map(({ id, name, arguments: text }, index) => ({
        tool_calls: [{ index, id, type: "function", function: { name, arguments: text } }],
      }))
    : [];
  const usage = usageOf(tokens);
  const isGroq = flavour.usageIn === "x_groq";
  return [
    ...(flavour.comment ? [`: ${flavour.comment}\n\n`] : []),
    chunk({ role: "assistant", content: "" }),
    ...[...deltas, ...whole].map((delta) => chunk(delta)),
    chunk({}, finishes[finish], isGroq ? { x_groq: { id: "req_01", usage }, usage } : {}),
    ...(isGroq ? [] : [event({ ...head, model: "stand-in-1", choices: [], usage })]),
    event("[DONE]"),
  ];
}

function whole({ pieces, finish, tokens }: Answer, { reasoning }: Flavour): unknown {
  const calls = wholeCalls(pieces).map(({ id, name, arguments: text }) => ({
    ...{ id, type: "function" },
    function: { name, arguments: text },
  }));
  const message = {
    ...{ role: "assistant", content: wholeText(pieces) },
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning && { [reasoning]: wholeReasoning(pieces) }),
  };
  return {
    ...{ ...head, object: "chat.completion", model: "stand-in-1" },
    choices: [{ index: 0, message, finish_reason: finishes[finish] }],
    usage: usageOf(tokens),
  };
}

const kinds: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  402: "insufficient_quota",
  404: "model_not_found",
  429: "rate_limit_exceeded",
};

/** The error of OpenAI, which most others took over. */
export const openaiError: Wire["error"] = ({ status, message, kind }) => ({
  error: {
    message,
    type: status >= 500 ? "server_error" : kind === "insufficient_quota" ? kind : "invalid_request_error",
    param: null,
    code: kind ?? kinds[status] ?? null,
  },
});

export const chatCompletions = (flavour: Flavour): Wire => ({
  takes: (path) => path === "/chat/completions",
  keyOf: bearer,
  judge: (asked) => judge(asked, flavour),
  events: (answer) => events(answer, flavour),
  whole: (answer) => whole(answer, flavour),
  error: flavour.error ?? openaiError,
  models: (ids) => ({
    object: "list",
    data: ids.map((id) => ({ id, object: "model", created: 1733162258, owned_by: "stand-in" })),
  }),
});
