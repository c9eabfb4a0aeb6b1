import { MAX_CALL_BYTES } from "../../shared/bridge.ts";
import { AppError } from "../../shared/errors.ts";

/** No input of the contract comes near: what has more parts was not made by a page of ours. */
const MOST_PARTS = 10_000;

/**
 * Refuses what is too big or no plain data, before any schema looks at it; costs what is allowed, not what came.
 * A list in a list in a list, or an object that holds itself, has too many parts. Throws AppError bad-request.
 */
export function checkPayload(input: unknown): void {
  const spent = { bytes: 0 };
  const parts = [input];
  for (let at = 0; at < parts.length; at++) {
    if (parts.length > MOST_PARTS) throw new AppError("bad-request", "The input has too many parts.");
    const part = parts[at];
    if (typeof part === "string") spendText(part, spent);
    else if (typeof part === "object" && part !== null) parts.push(...partsOf(part, spent));
  }
}

function partsOf(value: object, spent: { bytes: number }): unknown[] {
  if (Array.isArray(value)) return value.slice(0, MOST_PARTS); // with the list itself it is one too many
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new AppError("bad-request", "The input is no plain data.");
  }
  const keys = Object.keys(value);
  for (const key of keys) spendText(key, spent);
  return keys.length > MOST_PARTS ? keys : Object.values(value);
}

function spendText(text: string, spent: { bytes: number }): void {
  // the length first: a text far too long is not gone through to the end
  spent.bytes += text.length > MAX_CALL_BYTES ? text.length : Buffer.byteLength(text);
  if (spent.bytes <= MAX_CALL_BYTES) return;
  throw new AppError("bad-request", "The input is larger than a megabyte. Send it in parts.");
}
