import type { ModelRequest } from "../../shared/inference.ts";

/** What was sent, read from its JSON; null: it is not a request after all. */
export function readSent(json: string): ModelRequest | null {
  try {
    const value: unknown = JSON.parse(json);
    const isRequest =
      typeof value === "object" && value !== null && "messages" in value && Array.isArray(value.messages);
    return isRequest ? (value as ModelRequest) : null; // main wrote it
  } catch {
    return null; // the JSON itself can still be read as text
  }
}

/** The same JSON in lines. */
export function laidOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json; // shown as it is
  }
}
