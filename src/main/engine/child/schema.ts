import type { GbnfJsonSchema } from "node-llama-cpp";

/** Where a null only stands for "left out": by member, and below it. */
export interface Shape {
  readonly optional: ReadonlySet<string>;
  readonly members: ReadonlyMap<string, Shape>;
  /** Of the items of a list, and of members that have no name in the schema. */
  readonly items?: Shape;
}

export interface GrammarSchema {
  readonly schema: GbnfJsonSchema;
  readonly shape: Shape;
}

type JsonSchema = Readonly<Record<string, unknown>>;
type Literal = string | number | boolean | null;

interface Place {
  readonly root: JsonSchema;
  /** The references that led here: one that comes again is a circle. */
  readonly references: readonly string[];
  readonly depth: number;
  readonly budget: { nodes: number };
}

const deepest = 12;
/** Larger schemas make grammars that take seconds to compile: the rest is left open. */
const mostNodes = 400;
/** Nothing is optional. */
export const noShape: Shape = { optional: new Set(), members: new Map() };
const freeObject: GbnfJsonSchema = { type: "object", additionalProperties: true };
const anything: GbnfJsonSchema = {
  oneOf: [{ type: ["string", "number", "boolean", "null"] }, { type: "array" }, freeObject],
};

/** What a grammar cannot hold a model to, told in words instead. */
const hints: readonly (readonly [keyword: string, words: (value: unknown) => string])[] = [
  ["format", (value) => `format ${value}`],
  ["pattern", (value) => `matching ${value}`],
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `more than ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["multipleOf", (value) => `a multiple of ${value}`],
  ["minLength", (value) => `at least ${value} characters`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minItems", (value) => `at least ${value} items`],
  ["maxItems", (value) => `at most ${value} items`],
  ["uniqueItems", () => "no item twice"],
  ["minProperties", (value) => `at least ${value} members`],
  ["maxProperties", (value) => `at most ${value} members`],
  ["default", (value) => `default ${JSON.stringify(value)}`],
];

/**
 * Turns a JSON Schema into the dialect that node-llama-cpp makes grammars from. Everything the grammar accepts passes
 * the schema, but for bounds, patterns and formats, which become part of the description. An optional member is always
 * written and may be null; `shape` says where.
 */
export function toGrammarSchema(schema: object): GrammarSchema {
  const root = asSchema(schema);
  return convert(root, { root, references: [], depth: 0, budget: { nodes: mostNodes } });
}

function convert(given: unknown, place: Place): GrammarSchema {
  if (given === false) return { schema: { type: "null" }, shape: noShape };
  const schema = asSchema(given);
  if (place.depth > deepest || place.budget.nodes-- <= 0) return { schema: openFor(schema), shape: noShape };
  if (typeof schema.$ref === "string") return convertReference(schema, schema.$ref, place);
  if (Array.isArray(schema.allOf)) return convert(mergeAll(schema, schema.allOf, place), deeper(place));
  const alternatives = alternativesOf(schema);
  if (alternatives) return convertAlternatives(schema, alternatives, place);
  if ("const" in schema) return convertLiterals(schema, [schema.const]);
  if (Array.isArray(schema.enum)) return convertLiterals(schema, schema.enum);
  const type = schema.type ?? guessType(schema);
  if (type === "object") return convertObject(schema, place);
  if (type === "array") return convertArray(schema, place);
  return { schema: describe(convertSimple(schema, type), schema), shape: noShape };
}

const deeper = (place: Place): Place => ({ ...place, depth: place.depth + 1 });

const asSchema = (value: unknown): JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchema) : {};

const openFor = ({ type }: JsonSchema): GbnfJsonSchema => (type === "object" ? freeObject : anything);

function convertReference(schema: JsonSchema, reference: string, place: Place): GrammarSchema {
  const target = lookUp(place.root, reference);
  if (target === undefined || place.references.includes(reference))
    return { schema: describe(openFor(target ?? {}), schema), shape: noShape };
  const { $ref: _, ...rest } = schema;
  return convert({ ...target, ...rest }, { ...deeper(place), references: [...place.references, reference] });
}

/** Follows a pointer inside the same document, as `#/$defs/name`. */
function lookUp(root: JsonSchema, reference: string): JsonSchema | undefined {
  if (!reference.startsWith("#")) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = Object.entries(asSchema(found)).find(([name]) => name === key)?.[1];
  }
  return found === undefined ? undefined : asSchema(found);
}

function mergeAll(schema: JsonSchema, parts: readonly unknown[], place: Place): JsonSchema {
  const { allOf: _, ...own } = schema;
  return parts.map((part) => resolve(asSchema(part), place)).reduce(merge, own);
}

function resolve(schema: JsonSchema, place: Place): JsonSchema {
  const target = typeof schema.$ref === "string" ? lookUp(place.root, schema.$ref) : undefined;
  return target && !place.references.includes(String(schema.$ref)) ? { ...target, ...schema, $ref: undefined } : schema;
}

function merge(one: JsonSchema, other: JsonSchema): JsonSchema {
  const required = [...listOf(one.required), ...listOf(other.required)];
  const properties = { ...asSchema(one.properties), ...asSchema(other.properties) };
  return {
    ...one,
    ...other,
    ...(required.length > 0 && { required }),
    ...((one.properties !== undefined || other.properties !== undefined) && { properties }),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The ways a value may look, where the schema gives more than one. */
function alternativesOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  const { anyOf, oneOf, nullable, ...rest } = schema;
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (choices) return choices.map((choice) => merge(withoutDescription(rest), asSchema(choice)));
  if (Array.isArray(schema.type)) return schema.type.map((type) => ({ ...withoutDescription(rest), type }));
  if (nullable === true) return [withoutDescription(rest), { type: "null" }];
  return undefined;
}

const withoutDescription = ({ description: _, default: __, ...rest }: JsonSchema): JsonSchema => rest;

function convertAlternatives(schema: JsonSchema, alternatives: readonly JsonSchema[], place: Place): GrammarSchema {
  const converted = alternatives.map((alternative) => convert(alternative, deeper(place)));
  const distinct = new Map(converted.map((one) => [JSON.stringify(one.schema), one.schema]));
  const words = { description: schema.description, default: schema.default };
  return {
    schema: describe(join([...distinct.values()]), words),
    shape: converted.map(({ shape }) => shape).reduce(joinShapes, noShape),
  };
}

/** Several schemas as one, in the shortest spelling: the model reads it too. */
function join(schemas: readonly GbnfJsonSchema[]): GbnfJsonSchema {
  const [first] = schemas;
  if (schemas.length === 1 && first) return first;
  const types = schemas.map((schema) =>
    "type" in schema && Object.keys(schema).length === 1 ? schema.type : undefined,
  );
  const isPlain = types.every((type) => type !== undefined && type !== "object" && type !== "array");
  if (isPlain) return { type: types.flat() } as GbnfJsonSchema;
  return { oneOf: schemas };
}

function joinShapes(one: Shape, other: Shape): Shape {
  const members = new Map(one.members);
  for (const [name, shape] of other.members) members.set(name, joinShapes(members.get(name) ?? noShape, shape));
  const items = one.items && other.items ? joinShapes(one.items, other.items) : (one.items ?? other.items);
  return { optional: new Set([...one.optional, ...other.optional]), members, ...(items && { items }) };
}

const isLiteral = (value: unknown): value is Literal => value === null || typeof value !== "object";

function convertLiterals(schema: JsonSchema, values: readonly unknown[]): GrammarSchema {
  const literals = values.filter(isLiteral);
  if (literals.length > 0 && literals.length === values.length)
    return { schema: describe({ enum: literals }, schema), shape: noShape };
  // The library takes neither objects nor an empty list: say what is meant and leave the form open.
  const description = [schema.description, `one of ${JSON.stringify(values)}`].filter(Boolean).join(" ");
  return { schema: describe(values.length > 0 ? anything : { type: "null" }, { description }), shape: noShape };
}

function guessType(schema: JsonSchema): string | undefined {
  const has = (...keys: readonly string[]) => keys.some((key) => key in schema);
  if (has("properties", "additionalProperties", "required", "patternProperties")) return "object";
  if (has("items", "prefixItems", "minItems", "maxItems")) return "array";
  if (has("minLength", "maxLength", "pattern", "format")) return "string";
  if (has("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return "number";
  return undefined;
}

function convertSimple({ format, pattern }: JsonSchema, type: unknown): GbnfJsonSchema {
  if (type === "integer" || type === "number" || type === "boolean" || type === "null") return { type };
  if (type !== "string") return anything;
  // A "time" of the library always has a zone; where a pattern stands beside it, it is the pattern that counts.
  const isForced = format === "date" || format === "date-time" || (format === "time" && pattern === undefined);
  return isForced ? { type, format } : { type };
}

function convertObject(schema: JsonSchema, place: Place): GrammarSchema {
  const required = new Set(listOf(schema.required));
  const optional = new Set<string>();
  const members = new Map<string, Shape>();
  const properties = Object.entries(asSchema(schema.properties)).map(([name, property]) => {
    const member = convert(property, deeper(place));
    members.set(name, member.shape);
    if (required.has(name) || acceptsNull(member.schema)) return [name, member.schema];
    optional.add(name);
    return [name, withNull(member.schema)];
  });
  const further = furtherMembers(schema, place);
  const object = {
    type: "object" as const,
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(further && { additionalProperties: further.schema }),
  };
  return { schema: describe(object, schema), shape: { optional, members, ...(further && { items: further.shape }) } };
}

/** What members without a name in the schema look like; none when the schema names some and says no more. */
function furtherMembers(schema: JsonSchema, place: Place): GrammarSchema | undefined {
  const { properties, patternProperties, additionalProperties } = schema;
  const [pattern] = Object.values(asSchema(patternProperties));
  const given = pattern ?? additionalProperties ?? properties === undefined;
  return given === false ? undefined : convert(given, deeper(place));
}

function acceptsNull(schema: GbnfJsonSchema): boolean {
  if ("oneOf" in schema) return schema.oneOf.some(acceptsNull);
  if ("enum" in schema) return schema.enum.includes(null);
  return "type" in schema && (schema.type === "null" || (Array.isArray(schema.type) && schema.type.includes("null")));
}

function withNull(schema: GbnfJsonSchema): GbnfJsonSchema {
  if ("enum" in schema) return { ...schema, enum: [...schema.enum, null] };
  if ("oneOf" in schema) return { ...schema, oneOf: [...schema.oneOf, { type: "null" }] };
  const { description, ...rest } = schema;
  const joined = join([
    ...("type" in rest && Array.isArray(rest.type) ? rest.type.map((type) => ({ type })) : [rest as GbnfJsonSchema]),
    { type: "null" },
  ]);
  return description === undefined ? joined : { ...joined, description };
}

function convertArray(schema: JsonSchema, place: Place): GrammarSchema {
  const tuple = Array.isArray(schema.items) ? schema.items : schema.prefixItems;
  const first = listOf(tuple).map((item) => convert(item, deeper(place)));
  const isClosed = first.length > 0 && (schema.items === false || schema.items === undefined);
  const items = Array.isArray(schema.items) || isClosed ? undefined : convert(schema.items ?? {}, deeper(place));
  const array = {
    type: "array" as const,
    ...(first.length > 0 && { prefixItems: first.map((item) => item.schema) }),
    ...(items && { items: items.schema }),
    ...(isClosed && { maxItems: first.length }),
  };
  const shapes = [...first, ...(items ? [items] : [])].map((item) => item.shape);
  return { schema: describe(array, schema), shape: { ...noShape, items: shapes.reduce(joinShapes, noShape) } };
}

/** Puts the description back, with everything in it that the grammar does not say. */
function describe(schema: GbnfJsonSchema, source: JsonSchema): GbnfJsonSchema {
  const words = hints
    .filter(([keyword]) => source[keyword] !== undefined && !(keyword in schema))
    .map(([keyword, say]) => say(source[keyword]));
  const hint = words.length > 0 ? `(${words.join(", ")})` : undefined;
  const description = [source.description, hint].filter((text) => typeof text === "string" && text !== "").join(" ");
  return description === "" ? schema : { ...schema, description };
}
