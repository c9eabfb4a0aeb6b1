import { z } from "zod";
import { openaiError } from "./chat-completions.ts";
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
import { sealOf } from "./seal.ts";
import { DataUrl, isRefusal, JsonText, read, ToolName, ToolParameters } from "./shape.ts";

/** OpenAI's Responses: items instead of messages, and events with names. */

const CallId = z.string().min(1).max(64);
const InputText = z.strictObject({ type: z.literal("input_text"), text: z.string() });
const InputImage = z.strictObject({
  type: z.literal("input_image"),
  image_url: DataUrl,
  detail: z.string().optional(),
});

const Item = z.union([
  z.strictObject({ role: z.enum(["system", "developer"]), content: z.string().min(1) }),
  z.strictObject({ role: z.literal("user"), content: z.array(InputText.or(InputImage)).min(1) }),
  z.strictObject({
    role: z.literal("assistant"),
    id: z.string().startsWith("msg_").optional(),
    phase: z.string().nullish(),
    content: z
      .string()
      .min(1)
      .or(z.array(z.strictObject({ type: z.literal("output_text"), text: z.string() })).min(1)),
  }),
  z.strictObject({
    type: z.literal("function_call"),
    id: z.string().startsWith("fc_").optional(),
    call_id: CallId,
    name: ToolName,
    arguments: JsonText,
  }),
  z.strictObject({ type: z.literal("function_call_output"), call_id: CallId, output: z.string() }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: z.string().startsWith("rs_").optional(),
    encrypted_content: z.string().min(1),
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
  }),
]);

const Body = z.strictObject({
  model: z.string().min(1),
  input: z.array(Item).min(1),
  stream: z.literal(true),
  /** With `true`, OpenAI keeps what was said for 30 days. */
  store: z.literal(false, "is kept for 30 days unless it is false"),
  instructions: z.string().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_output_tokens: z.int().min(16).optional(),
  tool_choice: z.enum(["auto", "none", "required"]).optional(),
  parallel_tool_calls: z.boolean().optional(),
  prompt_cache_key: z.string().optional(),
  include: z.array(z.literal("reasoning.encrypted_content")).optional(),
  reasoning: z.strictObject({ effort: z.string().optional(), summary: z.string().optional() }).optional(),
  text: z.looseObject({}).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        name: ToolName,
        description: z.string().optional(),
        parameters: ToolParameters,
        strict: z.boolean().optional(),
      }),
    )
    .min(1)
    .max(128)
    .optional(),
});

const thoughtId = "rs_68af";

function judge({ body }: Asked): Refusal | undefined {
  const asked = read(Body, body);
  if (isRefusal(asked)) return asked;
  if (asked.temperature !== undefined && /^(o\d|gpt-5)/.test(asked.model))
    return refused("Unsupported parameter: 'temperature' is not supported with this model.");
  const items = asked.input.filter((item) => "type" in item);
  const thoughts = items.filter(({ type }) => type === "reasoning");
  return thoughts.map(judgeThought).find((wrong) => wrong !== undefined) ?? judgeCalls(items, thoughts.length > 0);
}

type Typed = Extract<z.infer<typeof Item>, { type: string }>;

function judgeThought(item: Typed): Refusal | undefined {
  if (item.type !== "reasoning") return undefined;
  const told = item.summary.map(({ text }) => text).join("");
  return item.encrypted_content === sealOf("openai", told)
    ? undefined
    : refused("The encrypted content could not be verified.", 400, "invalid_encrypted_content");
}

/** Each call has its output somewhere after it; one that followed on thoughts has them in front. */
function judgeCalls(items: readonly Typed[], thought: boolean): Refusal | undefined {
  const open = new Set<string>();
  for (const item of items) {
    if (item.type === "function_call" && item.id?.endsWith("thought") && !thought)
      return refused(`Item '${item.id}' of type 'function_call' was provided without its required 'reasoning' item.`);
    if (item.type === "function_call") open.add(item.call_id);
    if (item.type === "function_call_output" && !open.delete(item.call_id))
      return refused(`No tool call found for function call output with call_id ${item.call_id}.`);
  }
  return open.size > 0 ? refused(`No tool output found for function call ${[...open].join(", ")}.`) : undefined;
}

interface Output {
  readonly type: "reasoning" | "message" | "function_call";
  readonly pieces: Piece[];
}

/** Neighbouring pieces of one kind are one item of the output. */
function itemsOf(pieces: readonly Piece[]): Output[] {
  const items: Output[] = [];
  for (const piece of pieces) {
    const type = "call" in piece ? "function_call" : "text" in piece ? "message" : "reasoning";
    const last = items.at(-1);
    const same = last?.type === type && !("name" in piece);
    if (same) last.pieces.push(piece);
    else items.push({ type, pieces: [piece] });
  }
  return items;
}

const head = { id: "resp_67c9", object: "response", created_at: 1741476777, model: "stand-in-1" };

function events({ pieces, finish, tokens }: Answer): string[] {
  let sequence = 0;
  const say = (type: string, more: object) => event({ type, ...more, sequence_number: sequence++ }, type);
  const thought = pieces.some((piece) => "reasoning" in piece);
  const told = [
    say("response.created", { response: { ...head, status: "in_progress", output: [] } }),
    say("response.in_progress", { response: { ...head, status: "in_progress", output: [] } }),
  ];
  for (const [output_index, item] of itemsOf(pieces).entries())
    told.push(...itemEvents(item, output_index, { say, isRefusal: finish === "refusal", thought }));
  const reason = finish === "length" ? "max_output_tokens" : finish === "filter" ? "content_filter" : undefined;
  const status = reason === undefined ? "completed" : "incomplete";
  const response = {
    ...{ ...head, status, usage: usageOf(tokens) },
    incomplete_details: reason === undefined ? null : { reason },
  };
  return [...told, say(`response.${status}`, { response })];
}

interface Telling {
  readonly say: (type: string, more: object) => string;
  readonly isRefusal: boolean;
  /** The model thought first: what follows needs its thoughts beside it. */
  readonly thought: boolean;
}

function itemEvents({ type, pieces }: Output, output_index: number, { say, isRefusal, thought }: Telling): string[] {
  const begin = (item: object) => say("response.output_item.added", { output_index, item });
  const end = (item: object) => say("response.output_item.done", { output_index, item });
  if (type === "message") {
    const at = { item_id: `msg_${output_index}`, output_index, content_index: 0 };
    const kind = isRefusal ? "refusal" : "output_text";
    const item = { id: at.item_id, type, role: "assistant", status: "in_progress", content: [] };
    const deltas = pieces.map((piece) => say(`response.${kind}.delta`, { ...at, delta: wholeText([piece]) }));
    const done = isRefusal ? { refusal: wholeText(pieces) } : { text: wholeText(pieces) };
    return [
      begin(item),
      ...deltas,
      say(`response.${kind}.done`, { ...at, ...done }),
      end({ ...item, status: "completed" }),
    ];
  }
  if (type === "reasoning") {
    const at = { item_id: thoughtId, output_index, summary_index: 0 };
    const seal = sealOf("openai", wholeReasoning(pieces));
    const part = (text: string) => ({ ...at, part: { type: "summary_text", text } });
    const item = { id: thoughtId, type, summary: [], encrypted_content: seal };
    return [
      begin({ ...item, encrypted_content: "" }),
      say("response.reasoning_summary_part.added", part("")),
      ...pieces.map((piece) => say("response.reasoning_summary_text.delta", { ...at, delta: wholeReasoning([piece]) })),
      say("response.reasoning_summary_part.done", part(wholeReasoning(pieces))),
      end(item),
    ];
  }
  const call = wholeCalls(pieces).find((one) => one !== undefined)!;
  const item = { id: `fc_${output_index}${thought ? "thought" : ""}`, type, call_id: call.id, name: call.name };
  const at = { item_id: item.id, output_index };
  return [
    begin({ ...item, arguments: "", status: "in_progress" }),
    ...pieces.flatMap((piece) =>
      "arguments" in piece ? say("response.function_call_arguments.delta", { ...at, delta: piece.arguments }) : [],
    ),
    say("response.function_call_arguments.done", { ...at, arguments: call.arguments }),
    end({ ...item, arguments: call.arguments, status: "completed" }),
  ];
}

const usageOf = ({ input, output, cached, thought }: Answer["tokens"]) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: thought },
  total_tokens: input + output,
});

function whole({ pieces, tokens }: Answer): unknown {
  const message = {
    ...{ type: "message", id: "msg_0", role: "assistant", status: "completed" },
    content: [{ type: "output_text", text: wholeText(pieces), annotations: [] }],
  };
  const calls = wholeCalls(pieces).map(({ id, name, arguments: text }, at) => ({
    ...{ type: "function_call", id: `fc_${at}`, call_id: id },
    ...{ name, arguments: text, status: "completed" },
  }));
  return { ...head, status: "completed", output: [message, ...calls], usage: usageOf(tokens) };
}

export const responses: Wire = {
  takes: (path) => path === "/responses",
  keyOf: bearer,
  judge,
  events,
  whole,
  error: openaiError,
  models: (ids) => ({
    object: "list",
    data: ids.map((id) => ({ id, object: "model", created: 1686935002, owned_by: "openai" })),
  }),
};
