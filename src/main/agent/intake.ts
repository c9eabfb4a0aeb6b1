import { AppError } from "../../shared/errors.ts";

const LONGEST = 8_000_000;

/** NUL ends a text for some readers; U+FFFD shows that something was there. */
const NUL = /\0/g;

/** White space, and characters that only shape others: a message of nothing else shows nothing. */
const INVISIBLE = /[\s\p{Z}\p{Cf}]/gu;

/**
 * A message as it may be stored: lone surrogates and NUL are replaced, everything else stays byte for byte.
 * Throws AppError: blank-message, or bad-request for one beyond all measure.
 */
export function takeIn(text: string): { text: string; repaired: boolean } {
  if (text.replace(INVISIBLE, "") === "")
    throw new AppError("blank-message", "The message is empty. Type something and send it again.");
  if (text.length > LONGEST) {
    const millions = (text.length / 1e6).toFixed(1);
    throw new AppError(
      "bad-request",
      `The message has ${millions} million characters; 8 million is the most. Send it in parts.`,
    );
  }
  const sound = text.toWellFormed().replace(NUL, "\uFFFD");
  return { text: sound, repaired: sound !== text };
}
