import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import type { ToolSpec } from "../../shared/inference.ts";
import type { ToolClass } from "../../shared/turn.ts";
import type { OpenFile } from "./paths.ts";

export interface ToolContext {
  /** Absolute path of the folder the model may look into. */
  readonly workspace: string;
  readonly signal: AbortSignal;
  /** The moment the call is made, and the person's time zone (IANA name). */
  readonly now: Date;
  readonly timeZone: string;
  /** A long result of this chat that was kept whole. Throws not-found. */
  readonly openResult?: (name: string) => Promise<OpenFile>;
}

export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  /** One line for the person watching. */
  readonly summary: string;
}

export interface Tool extends ToolSpec {
  readonly class: ToolClass;
  /** Never runs beside another tool. Reads that are not exclusive run together. */
  readonly exclusive: boolean;
  readonly timeoutMs: number;
  /** A result with more characters goes to a file, and the model sees its beginning. */
  readonly resultCap: number;
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

interface ToolDefinition<I extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly class: ToolClass;
  readonly exclusive?: boolean;
  readonly timeoutMs?: number;
  readonly resultCap?: number;
  readonly input: I;
  run(input: z.output<I>, context: ToolContext): Promise<ToolResult>;
}

/** Write the schema once: the model sees JSON Schema, `run` sees a type, a bad call becomes a readable refusal. */
export function defineTool<I extends z.ZodType>(definition: ToolDefinition<I>): Tool {
  const { input, run, exclusive = false, timeoutMs = 60_000, resultCap = 16_000, ...rest } = definition;
  return {
    ...rest,
    exclusive,
    timeoutMs,
    resultCap,
    inputSchema: z.toJSONSchema(input, { io: "input" }),
    async run(raw, context) {
      const parsed = input.safeParse(raw);
      if (!parsed.success) throw new AppError("bad-arguments", z.prettifyError(parsed.error));
      return run(parsed.data, context);
    },
  };
}
