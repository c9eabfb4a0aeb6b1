import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";

/** An answer that came all at once, as the parts of a stream. */
export const partsOf = ({
  content,
  finishReason,
  usage,
}: LanguageModelV4GenerateResult): LanguageModelV4StreamPart[] => [
  ...content.flatMap(contentParts),
  { type: "finish", finishReason, usage },
];

function contentParts(part: LanguageModelV4Content, at: number): LanguageModelV4StreamPart[] {
  const id = String(at);
  const sealed = "providerMetadata" in part && part.providerMetadata ? { providerMetadata: part.providerMetadata } : {};
  if (part.type === "text") return [{ type: "text-delta", id, delta: part.text, ...sealed }];
  if (part.type === "tool-call") return [part];
  if (part.type !== "reasoning") return [];
  return [
    { type: "reasoning-delta", id, delta: part.text },
    { type: "reasoning-end", id, ...sealed },
  ];
}
