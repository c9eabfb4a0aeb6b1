import { keyPatterns } from "../../shared/keys.ts";

export const REMOVED = "[key removed]";

/** A shorter secret is too common a text to be looked for: it would take words with it. */
const LEAST_LOOKED_FOR = 6;

/** What says itself that a secret follows; that is kept, the secret is not. */
const announced: readonly RegExp[] = [
  /((?:authorization|x-api-key|x-goog-api-key|api[-_]?key)\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?)(?!\[key removed|bearer\b|basic\b)[^\s"'\\,;&<>]{6,}/gi,
  /(authorization\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?(?:bearer|basic)\s{1,4})(?!\[key removed)[^\s"'\\,;&<>]+/gi,
  /(\b(?:bearer|basic)\s{1,4})(?=[.~+/=a-z-]*\d)[\w.~+/=-]{12,}/gi, // prose about bearers and basics has no digits
  /([?&](?:key|api_key|apikey|access_token|token)=)(?!\[key removed)[^\s"'\\&#<>]{4,}/gi,
];

/**
 * A text without what must not stand in it: the given secrets, as they are and as URLs, JSON and base64 write them, and
 * everything that looks like the key of an account. For whatever leaves main or is written down, except what people and
 * models say. Linear in the length of the text.
 */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text;
  for (const form of formsOf(secrets)) clean = clean.replaceAll(form, REMOVED);
  for (const pattern of keyPatterns) clean = clean.replace(pattern, REMOVED);
  for (const pattern of announced) clean = clean.replace(pattern, `$1${REMOVED}`);
  return clean;
}

/** Everything a secret may be written as, the longest first: one may be a part of another. */
function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .filter((secret) => secret.length >= LEAST_LOOKED_FOR)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      inJson(secret),
      inJson(inJson(secret)),
      ...inBase64(secret),
    ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Base64 depends on where in a text the secret stands: the part of each of the three that does not depend on its neighbours. */
function inBase64(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const first = Math.ceil((before * 8) / 6);
    const last = Math.floor((whole.length * 8) / 6);
    const sure = whole.toString("base64").slice(first, last);
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
}
