import type { ModelInfo, PromptMessage, ToolSpec } from "../../shared/inference.ts";
import type { Part } from "../../shared/message.ts";
import type { Provider } from "../providers/provider.ts";

/** What a template adds around a message: role words and separators. */
export const MESSAGE_OVERHEAD = 8;
const CACHE_CHARACTERS = 4_000_000;

export type CountMessages = (messages: readonly PromptMessage[]) => Promise<number[]>;

/** Vendors count an image as about a thousand tokens: as long a text stands for it. */
const IMAGE_TEXT = "image ".repeat(1000);

/** Where the tokenizer cannot be asked. Errs towards too many: a prompt too long is worse than one too short. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

/** The characters of a message as the model will read them, near enough to count tokens on. */
export function countedText(parts: readonly Part[]): string {
  return parts.map(countedPart).join("\n");
}

function countedPart(part: Part): string {
  switch (part.type) {
    case "text":
    case "context":
    case "reasoning":
    case "tool-result":
      return part.text;
    case "tool-call":
      return `${part.name} ${JSON.stringify(part.input)}`;
    case "image":
      return IMAGE_TEXT;
    case "error":
      return part.error.message;
    default:
      return part satisfies never;
  }
}

/** The tools as they stand in the prompt. */
export const toolsText = (tools: readonly ToolSpec[]): string => JSON.stringify(tools);

/** Counts with the model's own tokenizer and remembers: a history is counted once, not with every turn. */
export function createTokenCounts() {
  /** By model, then by text: each model has a tokenizer of its own. */
  const known = new Map<string, Map<string, number>>();
  let characters = 0;

  function countsOf(key: string): Map<string, number> {
    if (characters > CACHE_CHARACTERS) {
      known.clear();
      characters = 0;
    }
    const counts = known.get(key) ?? new Map<string, number>();
    known.set(key, counts);
    return counts;
  }

  /** Tokens of each text; an estimate where the tokenizer fails (the request itself is counted exactly again). */
  async function count(provider: Provider, { key }: ModelInfo, texts: readonly string[]): Promise<number[]> {
    const counts = countsOf(key);
    const missing = [...new Set(texts.filter((text) => !counts.has(text)))];
    if (missing.length > 0) {
      const counted = await provider.countTokens(missing).catch(() => missing.map(estimateTokens));
      for (const [index, text] of missing.entries()) {
        counts.set(text, counted[index] ?? estimateTokens(text));
        characters += text.length;
      }
    }
    return texts.map((text) => counts.get(text) ?? estimateTokens(text));
  }

  return {
    count,
    messages:
      (provider: Provider, info: ModelInfo): CountMessages =>
      async (messages) => {
        const counted = await count(
          provider,
          info,
          messages.map(({ parts }) => countedText(parts)),
        );
        return counted.map((tokens) => tokens + MESSAGE_OVERHEAD);
      },
  };
}

export type TokenCounts = ReturnType<typeof createTokenCounts>;
