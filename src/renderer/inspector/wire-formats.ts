import type { PromptMessage, ToolSpec } from "../../shared/inference.ts";
import type { Part } from "../../shared/message.ts";
import type { ReadRequest } from "./sent-request.ts";

// The bodies that vendors take are four formats with one idea: messages of blocks. What each calls a thing is told apart
// by its keys. A block that is not known is shown as it stands: nothing that left is hidden.

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {});
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const firstText = (...values: unknown[]): string => String(values.find((value) => typeof value === "string") ?? "");
const firstNumber = (...values: unknown[]): number | undefined =>
  values.find((value): value is number => typeof value === "number");

/** The body of a request to a vendor so that a person can read it; null: it is none of the formats that are known. */
export function readBody(body: unknown): ReadRequest | null {
  const fields = fieldsIn(body);
  const turns = [fields.messages, fields.input, fields.contents].find(Array.isArray);
  if (!turns) return null;
  const names = callNames(turns);
  const system = partsOf(fields.system ?? fields.instructions ?? fieldsIn(fields.systemInstruction).parts, names);
  const messages = listIn(turns).map((turn) => messageOf(fieldsIn(turn), names));
  const config = { ...fields, ...fieldsIn(fields.generationConfig) };
  const longest = [config.max_tokens, config.max_completion_tokens, config.max_output_tokens, config.maxOutputTokens];
  return {
    model: firstText(fields.model),
    messages: system.length > 0 ? [{ role: "system", parts: system }, ...messages] : messages,
    tools: listIn(fields.tools).flatMap(toolsOf),
    maxOutputTokens: firstNumber(...longest),
    sampling: {
      temperature: firstNumber(config.temperature),
      topP: firstNumber(config.top_p, config.topP),
      topK: firstNumber(config.top_k, config.topK),
      seed: firstNumber(config.seed, config.random_seed),
    },
  };
}

/** What each call is a call of: results name it by its id. */
function callNames(turns: readonly unknown[]): ReadonlyMap<string, string> {
  const calls = turns.flatMap((turn) => {
    const { content, parts, tool_calls } = fieldsIn(turn);
    return [turn, ...listIn(content), ...listIn(parts), ...listIn(tool_calls)].map(fieldsIn);
  });
  const named = calls.map((call) => [
    firstText(call.call_id, call.id),
    firstText(call.name, fieldsIn(call.function).name),
  ]);
  return new Map(named.flatMap(([id = "", name = ""]) => (name === "" ? [] : [[id, name] as const])));
}

const roles: ReadonlyMap<unknown, PromptMessage["role"]> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["assistant", "assistant"],
  ["model", "assistant"],
  ["tool", "tool"],
]);

type Names = ReadonlyMap<string, string>;

function messageOf(turn: Fields, names: Names): PromptMessage {
  if (turn.type === "function_call") return { role: "assistant", parts: [callOf(turn)] };
  if (turn.type === "function_call_output") return { role: "tool", parts: [resultOf(turn, turn.output, names)] };
  if (turn.type === "reasoning") return { role: "assistant", parts: thoughts(turn) };
  const role = roles.get(turn.role) ?? "user";
  if (role === "tool") return { role, parts: [resultOf(turn, turn.content, names)] };
  const parts = [
    ...thoughts(turn),
    ...partsOf(turn.content ?? turn.parts, names),
    ...listIn(turn.tool_calls).map((call) => callOf(fieldsIn(fieldsIn(call).function))),
  ];
  return { role: parts.every(({ type }) => type === "tool-result") && parts.length > 0 ? "tool" : role, parts };
}

function thoughts(turn: Fields): Part[] {
  const summary = listIn(turn.summary).map((block) => firstText(fieldsIn(block).text));
  const text = [firstText(turn.reasoning_content, turn.reasoning), ...summary].filter((one) => one !== "").join("\n\n");
  return text === "" ? [] : [{ type: "reasoning", text }];
}

function partsOf(content: unknown, names: Names): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return listIn(content).map((block) => partOf(fieldsIn(block), names));
}

const images: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);

function partOf(block: Fields, names: Names): Part {
  const { type, functionCall, functionResponse } = block;
  if (typeof block.text === "string") return { type: block.thought === true ? "reasoning" : "text", text: block.text };
  if (type === "thinking") return { type: "reasoning", text: thinkingIn(block.thinking) };
  if (type === "tool_use") return callOf(block);
  if (isFields(functionCall)) return callOf(functionCall);
  if (type === "tool_result") return resultOf(block, block.content, names);
  if (isFields(functionResponse)) return resultOf(functionResponse, functionResponse.response, names);
  if (images.has(type) || "inlineData" in block) return { type: "image", mediaType: mediaTypeIn(block), data: "" };
  return { type: "text", text: JSON.stringify(block) };
}

/** A text, or a list of blocks of it. */
const thinkingIn = (value: unknown): string =>
  typeof value === "string"
    ? value
    : listIn(value)
        .map((block) => firstText(fieldsIn(block).text))
        .join("");

const mediaTypeIn = ({ source, inlineData, image_url }: Fields): string => {
  const address = firstText(fieldsIn(image_url).url, image_url);
  return firstText(
    fieldsIn(source).media_type,
    fieldsIn(inlineData).mimeType,
    /^data:([^;,]+)/.exec(address)?.[1],
    "image",
  );
};

const callOf = (call: Fields): Part => ({
  type: "tool-call",
  id: firstText(call.call_id, call.id),
  name: firstText(call.name),
  input: inputOf(call.input ?? call.args ?? call.arguments),
});

/** Some formats write the arguments as a text. */
function inputOf(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value; // as the model spelled it
  }
}

function resultOf(result: Fields, content: unknown, names: Names): Part {
  const callId = firstText(result.tool_call_id, result.tool_use_id, result.call_id, result.id);
  const name = firstText(result.name, names.get(callId), callId);
  return { type: "tool-result", callId, name, text: contentText(content), failed: result.is_error === true };
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = listIn(content).map((block) => fieldsIn(block).text);
  return texts.length > 0 && texts.every((text) => typeof text === "string")
    ? texts.join("\n\n")
    : (JSON.stringify(content) ?? "");
}

/** A tool, or a list of tools in one. */
function toolsOf(tool: unknown): ToolSpec[] {
  const fields = fieldsIn(tool);
  const inside = listIn(fields.functionDeclarations);
  if (inside.length > 0) return inside.flatMap(toolsOf);
  const spec = { ...fields, ...fieldsIn(fields.function) };
  return [
    {
      name: firstText(spec.name, spec.type),
      description: firstText(spec.description),
      inputSchema: fieldsIn(spec.parameters ?? spec.parametersJsonSchema ?? spec.input_schema),
    },
  ];
}
