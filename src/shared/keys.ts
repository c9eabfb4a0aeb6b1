/**
 * Where a token may begin: not in the middle of a word, but after an escape of JSON or of a URL, which ends in letters.
 * It is also what keeps each pattern linear: a run of letters is entered once.
 */
const start = String.raw`(?:(?<![\w-])|(?<=\\[nrt])|(?<=%[\dA-F]{2}))`;
const token = (body: string): RegExp => new RegExp(start + body, "g");

/** Secrets that can be told by their looks alone. Each begins with few letters, which is what makes it quick to look for. */
export const keyPatterns: readonly RegExp[] = [
  token(String.raw`[sr]k[-_][\w-]{16,}`), // OpenAI, Anthropic, DeepSeek, OpenRouter, Moonshot, DashScope, Stripe
  ...["xai-", "pplx-", "gsk_", "nvapi-", "hf_", "glpat-", "npm_"].map((prefix) =>
    token(String.raw`${prefix}[\w-]{16,}`),
  ),
  token(String.raw`AIza[\w-]{30,}`), // Google
  token(String.raw`A(?:KIA|SIA)[A-Z\d]{16}(?![A-Z\d])`), // Amazon
  token(String.raw`(?:gh[opusr]_|github_pat_)\w{20,}`), // GitHub
  token(String.raw`eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}`), // JSON Web Token
  /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z\d ]{0,40}PRIVATE KEY-----|$)/gs,
];

/** A key without a vendor's prefix, such as Mistral's, alone in its message: long, and mixed as no word is. */
const bareKey = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{32,256}$/;

/** Longer text is a paste of something else; only its beginning is looked at. */
const LOOKED_AT = 100_000;

/** Whether a message is, or contains, what looks like the key of an account: something that belongs into the vault, not into a chat. */
export function looksLikeKey(text: string): boolean {
  const looked = text.slice(0, LOOKED_AT);
  return bareKey.test(looked.trim()) || keyPatterns.some((pattern) => looked.search(pattern) >= 0);
}
