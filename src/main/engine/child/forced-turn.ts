import {
  type ChatHistoryItem,
  type ChatModelFunctions,
  ChatModelFunctionsDocumentationGenerator,
  type GbnfJsonSchema,
  type LlamaGrammar,
  LlamaText,
} from "node-llama-cpp";
import type { ModelRequest } from "../../../shared/inference.ts";
import { callsOf, textOf } from "../../../shared/message.ts";
import { ForcedOutput } from "./forced-output.ts";
import { toChatHistory } from "./history.ts";
import type { Engine } from "./load.ts";
import { toFunctions } from "./tool-functions.ts";
import type { Emit, ToolTurn } from "./tool-turn.ts";

/** More choices than this and a small model picks at random. */
const mostTools = 4;

/** The rest of `{"answer":"…"}` after an answer that has begun. */
const restOfAnswer = `root ::= char* "\\"}"
char ::= [^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\bfnrt] | "u" [0-9a-fA-F]{4})`;

/** A turn of a model without a syntax for tools: grammar holds it to one JSON object, an answer or a call. */
export async function forcedTurn(engine: Engine, request: ModelRequest, emit: Emit): Promise<ToolTurn> {
  const { functions, shapes } = toFunctions(request.tools.slice(0, mostTools));
  const continues = continuesAnswer(request);
  let hasCall = false;
  const output = new ForcedOutput(
    {
      answer: (text) => text !== "" && emit({ type: "text", text }),
      callStart: (name) => emit({ type: "call-start", index: 0, name }),
      callArguments: (text) => text !== "" && emit({ type: "call-arguments", index: 0, text }),
      callEnd: () => {
        hasCall = true;
        emit({ type: "call-end", index: 0 });
      },
    },
    shapes,
    continues,
  );
  const schemas = request.toolChoice === "none" ? [] : Object.entries(functions).map(callSchema);
  const history = toChatHistory(request.messages, { level: "forced", key: engine.card.key, thoughts: false });
  return {
    history: withTools(history, new ChatModelFunctionsDocumentationGenerator(functions)),
    options: { grammar: continues ? await continuation(engine) : await choice(engine.llama, schemas) },
    onText: (text) => output.push(text),
    end: () => (hasCall ? "tool_calls" : undefined),
  };
}

/** Whether the prompt ends in an answer that has begun. */
function continuesAnswer({ messages }: ModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === "assistant" && callsOf(last.parts).length === 0 && textOf(last.parts) !== "";
}

const callSchema = ([name, { params }]: [string, ChatModelFunctions[string]]): GbnfJsonSchema => ({
  type: "object",
  properties: { tool: { const: name }, arguments: params ?? { type: "object" } },
});

/** The library infers a type from each schema, which schemas that are made at run time are too deep for. */
interface GrammarMaker {
  createGrammarForJsonSchema(schema: GbnfJsonSchema): Promise<LlamaGrammar>;
}

const choice = (llama: GrammarMaker, calls: readonly GbnfJsonSchema[]): Promise<LlamaGrammar> =>
  llama.createGrammarForJsonSchema({
    oneOf: [{ type: "object", properties: { answer: { type: "string" } } }, ...calls],
  });

const continuation = ({ llama }: Engine): Promise<LlamaGrammar> =>
  llama.createGrammar({
    grammar: restOfAnswer,
    stopGenerationTriggers: [LlamaText("\n".repeat(4))],
    trimWhitespaceSuffix: true,
  });

function withTools(
  history: ChatHistoryItem[],
  documentation: ChatModelFunctionsDocumentationGenerator,
): ChatHistoryItem[] {
  const text = [
    "You can use these tools:",
    documentation.getTypeScriptFunctionSignatures(),
    "",
    "Reply with one JSON object and nothing else:",
    '{"tool": "<name>", "arguments": {…}} to use a tool, or {"answer": "<text>"} to answer.',
  ].join("\n");
  const [first, ...rest] = history;
  return first?.type === "system"
    ? [{ type: "system", text: LlamaText([LlamaText.fromJSON(first.text), "\n\n", text]).toJSON() }, ...rest]
    : [{ type: "system", text }, ...history];
}
