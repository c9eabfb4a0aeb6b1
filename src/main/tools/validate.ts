import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import type { Tool } from "./tool.ts";

export type CheckedArguments =
  | { readonly ok: true; readonly input: unknown }
  /** What is wrong, for the model: it names the field. */
  | { readonly ok: false; readonly problem: string };

const longestText = 1024 * 1024;
const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false });
const validators = new WeakMap<object, ValidateFunction>();

/**
 * Reads the arguments of a call as the model gave them (JSON text, JSON text inside JSON text, or a value) and holds them
 * against the tool's schema. Nothing is added: the call is stored as it was meant, the tool knows its own defaults.
 */
export function checkArguments(tool: Tool, raw: unknown): CheckedArguments {
  const read = typeof raw === "string" ? parseArguments(raw) : { value: raw ?? {} };
  if ("problem" in read) return { ok: false, problem: `${tool.name}: ${read.problem}` };
  const input = read.value;
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return { ok: false, problem: `${tool.name}: the arguments must be a JSON object, not ${kindOf(input)}.` };
  const validate = validatorOf(tool);
  if (validate(input)) return { ok: true, input };
  const problems = (validate.errors ?? []).map((error) => describe(error, tool));
  return { ok: false, problem: `${tool.name}: ${[...new Set(problems)].join("; ")}.` };
}

function parseArguments(text: string, nested = false): { value: unknown } | { problem: string } {
  if (text.length > longestText) return { problem: `the arguments are longer than ${longestText} characters.` };
  if (text.trim() === "") return { value: {} }; // how some models spell a call without arguments
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" && !nested ? parseArguments(value, true) : { value };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { problem: `the arguments are not whole JSON (${why}). Write one complete JSON object.` };
  }
}

function validatorOf({ inputSchema }: Tool): ValidateFunction {
  const known = validators.get(inputSchema);
  if (known !== undefined) return known;
  const validate = ajv.compile(inputSchema);
  validators.set(inputSchema, validate);
  return validate;
}

function describe(error: ErrorObject, { inputSchema }: Tool): string {
  const field = error.instancePath.slice(1).replaceAll("/", ".");
  const within = field === "" ? "" : ` in "${field}"`;
  switch (error.keyword) {
    case "required":
      return `"${error.params.missingProperty}" is missing${within}`;
    case "additionalProperties":
      return `${unknownField(String(error.params.additionalProperty), inputSchema)}${within}`;
    case "enum":
      return `"${field}" must be one of ${JSON.stringify(error.params.allowedValues)}`;
    default:
      return `${field === "" ? "the whole" : `"${field}"`} ${error.message ?? `fails ${error.keyword}`}`;
  }
}

function unknownField(name: string, schema: object): string {
  const fields =
    "properties" in schema && typeof schema.properties === "object" ? Object.keys(schema.properties ?? {}) : [];
  const nearest = nearestName(name, fields);
  return `"${name}" is not an argument${nearest === undefined ? "" : ` (did you mean "${nearest}"?)`}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** The name that was probably meant, if one is near: at most a third of its letters are different (two of a short one). */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const wanted = lettersOf(name);
  const limit = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  const [best] = names
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, lettersOf(candidate)) }))
    .sort((one, other) => one.distance - other.distance);
  return wanted !== "" && best !== undefined && best.distance <= limit ? best.candidate : undefined;
}

const longestName = 100;
const lettersOf = (name: string): string =>
  name
    .slice(0, longestName)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Letters to insert, delete or replace to turn one word into the other (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    let left = i + 1;
    row = row.map((above, j) => {
      if (j === 0) return left;
      const replaced = (row[j - 1] ?? 0) + (other[j - 1] === letter ? 0 : 1);
      left = Math.min(left + 1, above + 1, replaced);
      return left;
    });
  }
  return row[other.length] ?? 0;
}
