import type { ChatModelFunctions } from "node-llama-cpp";
import { AppError } from "../../../shared/errors.ts";
import type { ToolSpec } from "../../../shared/inference.ts";
import { type Shape, toGrammarSchema } from "./schema.ts";

/** Tools as the library takes them, and where their arguments may hold a null for "left out". */
export function toFunctions(tools: readonly ToolSpec[]): {
  functions: ChatModelFunctions;
  shapes: ReadonlyMap<string, Shape>;
} {
  const shapes = new Map<string, Shape>();
  const functions = tools.map(({ name, description, inputSchema }) => {
    if (!/^\S{1,64}$/.test(name))
      throw new AppError("bad-request", `The tool name "${name}" must be 1 to 64 characters without spaces.`);
    const { schema, shape } = toGrammarSchema(inputSchema);
    shapes.set(name, shape);
    return [name, { description, params: schema }] as const;
  });
  return { functions: Object.fromEntries(functions), shapes };
}
