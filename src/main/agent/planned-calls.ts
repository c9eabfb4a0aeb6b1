import type { Tool } from "../tools/tool.ts";
import { checkArguments, nearestName } from "../tools/validate.ts";
import type { SpokenCall } from "./ask-model.ts";

/** A call with an id of ours (a model's may be missing, doubled or too long) and either a tool to run or what is wrong with it. */
export interface PlannedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly raw?: unknown;
  readonly tool?: Tool;
  readonly problem?: string;
}

/** Checks what the model asked for against the tools there are. Every call comes back: bad ones with a problem the model can read. */
export function planCalls(
  calls: readonly SpokenCall[],
  tools: readonly Tool[],
  idOf: (index: number) => string,
): PlannedCall[] {
  return calls.map((call, index) => {
    const base = { id: idOf(index), ...(call.raw !== undefined && { raw: call.raw }) };
    const name = call.name.trim();
    const tool = tools.find((candidate) => candidate.name === name);
    if (!tool) return { ...base, name: name || "unnamed", input: readable(call), problem: noSuchTool(name, tools) };
    const checked = checkArguments(tool, call.arguments);
    if (!checked.ok) return { ...base, name, input: readable(call), problem: checked.problem };
    return { ...base, name, input: checked.input, tool };
  });
}

function noSuchTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  if (name === "") return `The call has no tool name. Tools: ${names.join(", ")}.`;
  const nearest = nearestName(name, names);
  const hint = nearest ? `Did you mean ${nearest}?` : `Tools: ${names.join(", ")}.`;
  return `There is no tool named ${name}. ${hint}`;
}

/** The arguments as an object, whatever they were: a call in history must be one that every provider accepts. */
function readable({ arguments: text }: SpokenCall): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
    return { value };
  } catch (error) {
    return { unparsed: text, reason: error instanceof Error ? error.message : "not JSON" };
  }
}
