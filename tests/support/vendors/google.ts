import { z } from "zod";
import { type Answer, type Asked, event, type Refusal, refused, type Wire, wholeCalls } from "./script.ts";
import { sealOf } from "./seal.ts";
import { isRefusal, read } from "./shape.ts";

/** Google's generateContent: parts without ids, calls that come whole, and a seal on the first call after thinking. */

const Name = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/);
const Signature = { thoughtSignature: z.string().optional() };
const Text = z.strictObject({ text: z.string(), thought: z.boolean().optional(), ...Signature });
const Inline = z.strictObject({
  inlineData: z.strictObject({
    mimeType: z.enum(["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]),
    data: z.base64().min(4),
  }),
});
const Call = z.strictObject({
  functionCall: z.strictObject({ name: Name, args: z.record(z.string(), z.unknown()), id: z.string().optional() }),
  ...Signature,
});
const Response = z.strictObject({
  functionResponse: z.strictObject({
    name: Name,
    response: z.record(z.string(), z.unknown()),
    id: z.string().optional(),
  }),
});
const Part = z.union([Text, Inline, Call, Response]);
const Content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(Part).min(1) });
type Content = z.infer<typeof Content>;

/** The part of a JSON Schema that `parameters` knows; anything else is an unknown name to Google. */
const Schema: z.ZodType = z.lazy(() =>
  z.strictObject({
    type: z.enum(["object", "string", "number", "integer", "boolean", "array"]).optional(),
    description: z.string().optional(),
    format: z.string().optional(),
    enum: z.array(z.string()).optional(),
    nullable: z.boolean().optional(),
    required: z.array(z.string()).optional(),
    properties: z.record(z.string(), Schema).optional(),
    items: Schema.optional(),
    anyOf: z.array(Schema).optional(),
    minItems: z.int().optional(),
    maxItems: z.int().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.int().optional(),
    maxLength: z.int().optional(),
    pattern: z.string().optional(),
  }),
);

const Body = z.strictObject({
  contents: z.array(Content).min(1),
  systemInstruction: z
    .strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1), role: z.string().optional() })
    .optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().optional(),
      topK: z.number().optional(),
      seed: z.int().optional(),
      thinkingConfig: z
        .strictObject({
          thinkingBudget: z.int().optional(),
          thinkingLevel: z.string().optional(),
          includeThoughts: z.boolean().optional(),
        })
        .optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({ functionCallingConfig: z.strictObject({ mode: z.enum(["AUTO", "NONE", "ANY", "VALIDATED"]) }) })
    .optional(),
  tools: z
    .array(
      z.strictObject({
        functionDeclarations: z
          .array(
            z.strictObject({
              name: Name,
              description: z.string(),
              parameters: Schema.optional(),
              parametersJsonSchema: z.looseObject({}).optional(),
            }),
          )
          .min(1),
      }),
    )
    .optional(),
});

function judge({ body, path }: Asked): Refusal | undefined {
  if (/[?&]key=/.test(path)) return refused("The key belongs into the header.");
  const asked = read(Body, body);
  if (isRefusal(asked)) return asked;
  if (asked.contents.at(-1)?.role !== "user")
    return refused("Please ensure that single turn requests end with a user role or the role field is empty.");
  return judgeOrder(asked.contents);
}

const callsIn = ({ parts }: Content) => parts.filter((part) => "functionCall" in part);
const responsesIn = ({ parts }: Content) => parts.filter((part) => "functionResponse" in part);

function judgeOrder(contents: readonly Content[]): Refusal | undefined {
  for (const [at, content] of contents.entries()) {
    const before = contents[at - 1];
    if (before?.role === content.role && callsIn(content).length > 0)
      return refused(
        "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
      );
    const calls = before ? callsIn(before) : [];
    if (calls.length !== responsesIn(content).length)
      return refused(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
      );
    const wrong = content.role === "model" ? judgeSeals(content, at) : undefined;
    if (wrong) return wrong;
  }
  return undefined;
}

/** What Google documents for calls that another model made. */
const noSeal = "skip_thought_signature_validator";

/** The first call of a step carries the seal of the thoughts before it, and it has to come back. */
function judgeSeals(content: Content, at: number): Refusal | undefined {
  const [first] = callsIn(content);
  if (!first || !("functionCall" in first)) return undefined;
  const { thoughtSignature, functionCall } = first;
  if (thoughtSignature === undefined)
    return refused(
      `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${functionCall.name}\`, position ${at + 1}.`,
    );
  return [noSeal, sealOf("google", JSON.stringify(functionCall.args))].includes(thoughtSignature)
    ? undefined
    : refused("Thought signature is not valid.");
}

const finishes = { stop: "STOP", calls: "STOP", length: "MAX_TOKENS", filter: "SAFETY", refusal: "PROHIBITED_CONTENT" };

const usageOf = ({ input, output, cached, thought }: Answer["tokens"]) => ({
  promptTokenCount: input,
  candidatesTokenCount: output - thought,
  thoughtsTokenCount: thought,
  cachedContentTokenCount: cached,
  totalTokenCount: input + output,
});

function partsOf(pieces: Answer["pieces"]): object[] {
  const spoken = pieces.flatMap((piece) => {
    if ("text" in piece) return { text: piece.text };
    return "reasoning" in piece ? { text: piece.reasoning, thought: true } : [];
  });
  const calls = wholeCalls(pieces).map(({ name, arguments: text }, at) => {
    const args: unknown = JSON.parse(text);
    const seal = at === 0 && { thoughtSignature: sealOf("google", JSON.stringify(args)) };
    return { functionCall: { name, args }, ...seal };
  });
  return [...spoken, ...calls];
}

function events({ pieces, finish, tokens }: Answer): string[] {
  const usageMetadata = usageOf(tokens);
  const about = { modelVersion: "stand-in-1", responseId: "FIBdaYmDHcnMvdIPo5eHoAU" };
  const parts = partsOf(pieces);
  return parts.length === 0
    ? [event({ candidates: [{ index: 0, finishReason: finishes[finish] }], usageMetadata, ...about })]
    : parts.map((part, at) => {
        const isLast = at === parts.length - 1;
        const content = { role: "model", parts: [part] };
        const candidate = { content, index: 0, ...(isLast && { finishReason: finishes[finish] }) };
        return event({ candidates: [candidate], usageMetadata, ...about });
      });
}

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const google: Wire = {
  takes: (path) => /^\/models\/[\w.-]+:streamGenerateContent\?alt=sse$/.test(path),
  keyOf: (headers) => headers["x-goog-api-key"]?.toString(),
  judge,
  events,
  whole: ({ pieces, finish, tokens }) => ({
    candidates: [{ content: { role: "model", parts: partsOf(pieces) }, finishReason: finishes[finish], index: 0 }],
    usageMetadata: usageOf(tokens),
  }),
  error: ({ status, message, kind }) => ({
    error: {
      code: status,
      message,
      status: statuses[status] ?? "UNKNOWN",
      ...(kind !== undefined && {
        details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: kind, domain: "googleapis.com" }],
      }),
    },
  }),
  models: (ids) => ({
    models: ids.map((id) => ({
      name: `models/${id}`,
      displayName: id,
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ["generateContent", "countTokens"],
    })),
  }),
};
