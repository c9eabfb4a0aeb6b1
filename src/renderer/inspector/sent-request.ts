import type { ModelRequest, PromptMessage, ToolSpec } from "../../shared/inference.ts";
import { readBody } from "./wire-formats.ts";

/** A request as it is shown: a local model's as Lares has it, another's as far as its body says. */
export interface ReadRequest {
  /** What the vendor calls it; absent or empty: it is not in the request. */
  readonly model?: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice?: ModelRequest["toolChoice"];
  readonly maxOutputTokens: number | undefined;
  readonly sampling: { readonly [K in keyof ModelRequest["sampling"]]?: number | undefined };
}

/** What was sent, read from its JSON; null: it is in no format that is known. */
export function readSent(json: string): ReadRequest | null {
  try {
    const value: unknown = JSON.parse(json);
    return isOwn(value) ? value : readBody(value);
  } catch {
    return null; // the JSON itself can still be read as text
  }
}

/** Main wrote it for a model of this computer. */
const isOwn = (value: unknown): value is ModelRequest =>
  typeof value === "object" &&
  value !== null &&
  "messages" in value &&
  Array.isArray(value.messages) &&
  "sampling" in value;

/** The same JSON in lines. */
export function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json; // shown as it is
  }
}
