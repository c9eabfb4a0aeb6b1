import type { ModelInfo, PromptMessage, ToolSpec } from "../../shared/inference.ts";
import type { Part } from "../../shared/message.ts";
import type { Provider } from "../providers/provider.ts";

/** What a template adds around a message: role words and separators. */
const MESSAGE_OVERHEAD = 8;
const CACHE_CHARACTERS = 4_000_000;

export type CountMessages = (messages: readonly PromptMessage[]) => Promise<number[]>;

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
    case "error":
      return part.error.message;
    default:
      return part satisfies never;
  }
}

/** The tools as they stand in the prompt. */
export const toolsText = (tools: readonly ToolSpec[]): string =>
  JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));

/** Counts with the model's own tokenizer and remembers: a history is counted once, not with every turn. */
export function createTokenCounts() {
  const known = new Map<string, number>();
  let characters = 0;

  function remember(key: string, tokens: number): void {
    if (characters + key.length > CACHE_CHARACTERS) {
      known.clear();
      characters = 0;
    }
    known.set(key, tokens);
    characters += key.length;
  }

  /** Tokens of each text; an estimate where the tokenizer fails (the request itself is counted exactly again). */
  async function count(provider: Provider, { key }: ModelInfo, texts: readonly string[]): Promise<number[]> {
    const keys = texts.map((text) => `${key}\n${text}`);
    const missing = [...new Set(keys.filter((text) => !known.has(text)))];
    if (missing.length > 0) {
      const asked = missing.map((text) => text.slice(key.length + 1));
      const counted = await provider.countTokens(asked).catch(() => asked.map(estimateTokens));
      missing.forEach((text, index) => {
        remember(text, counted[index] ?? estimateTokens(text));
      });
    }
    return keys.map((text) => known.get(text) ?? estimateTokens(text));
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
