import { APICallError } from "@ai-sdk/provider";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import { redact } from "../lib/redact.ts";
import { waitInWords } from "./retry.ts";
import { retryAfterOf } from "./retry-after.ts";

/** Who failed, for the sentence; and what must not stand in it. */
export interface Asked {
  readonly name: string;
  readonly host: string;
  readonly model?: string;
  readonly key: string | undefined;
}

/** The vendor's policy stopped an answer before it began: that is an end, not a failure. */
export class Refused extends AppError {}

const MOST_WORDS = 300;

/** What vendors say in their own words and codes, the first that fits; below it, what their status says. */
const said: readonly { readonly words: RegExp; readonly code: ErrorCode | "refusal" }[] = [
  {
    words:
      /context.?(length|size|window)|maximum (prompt|context) length|prompt is too long|(input|prompt) token count|range of input length|exceeded model token limit|too large for model|reduce (the length|your message)|tokens to keep from the initial prompt/i,
    code: "context-overflow",
  },
  {
    words:
      /insufficient[_ ]?(user_)?(quota|balance|credits?|funds)|credit balance|any credits|arrear|current[_ ]quota|billing_|payment required|spending limit/i,
    code: "quota",
  },
  { words: /api[_ ]?key[_ ]?(not valid|invalid)|(invalid|incorrect)[_ ]?api[_ ]?key/i, code: "key-refused" },
  {
    words:
      /content[_ ]?(policy|filter)|data_?inspection|content exists risk|usage polic|moderation|flagged|prohibited content/i,
    code: "refusal",
  },
  {
    words:
      /model.{0,120}(not[_ ](found|exist)|does not exist|decommissioned|deprecated|no longer)|model_not_found|no endpoints found|(no such|unknown|invalid|not found:?|not a valid) model|not found.{0,40}model/is,
    code: "model-gone",
  },
  { words: /unsupported_country|(country|region|territory).{0,20} not supported/i, code: "request-refused" },
  { words: /overloaded|engine_overloaded|insufficient_system_resource|at capacity/i, code: "overloaded" },
  { words: /rate.?limit|too many requests/i, code: "rate-limited" },
];

const byStatus: Readonly<Record<number, ErrorCode>> = {
  400: "request-refused",
  401: "key-refused",
  402: "quota",
  403: "key-refused",
  404: "not-an-api",
  405: "not-an-api",
  408: "timeout",
  409: "provider-failed",
  413: "request-refused",
  422: "request-refused",
  429: "rate-limited",
  500: "provider-failed",
  502: "provider-failed",
  504: "timeout",
  511: "not-an-api",
};

const sentences: Partial<Record<ErrorCode, (asked: Asked) => string>> = {
  "context-overflow": ({ name }) => `${name} says that the conversation is too long for this model.`,
  quota: ({ name }) => `${name} says that the account has run out.`,
  "key-refused": ({ name }) => `${name} does not accept the key.`,
  "model-gone": ({ name, model }) => `${name} does not have the model ${model ?? "that was asked for"}.`,
  "rate-limited": ({ name }) => `${name} wants to be asked less often.`,
  overloaded: ({ name }) => `${name} has no room just now.`,
  timeout: ({ name }) => `${name} took too long.`,
  "request-refused": ({ name }) => `${name} cannot read the request.`,
  "not-an-api": ({ host }) => `What answers at ${host} is not the service that was looked for. Check the address.`,
  "provider-failed": ({ name }) => `${name} broke off.`,
};

/** Whatever was thrown while a vendor was asked, as an error of Lares with one sentence and the vendor's own words. */
export function toCloudError(thrown: unknown, asked: Asked): AppError {
  const own = ownError(thrown);
  if (own) return own;
  const { status, headers, words, body } = complaintOf(thrown);
  const code = codeOf(status, `${words} ${body}`, headers);
  if (code === "refusal")
    return new Refused("request-refused", `${asked.name} refuses to answer this.${quoted(words, asked)}`);
  const wait = code === "rate-limited" || code === "overloaded" ? retryAfterOf(headers, body) : undefined;
  const waits = wait === undefined ? "" : ` It says to wait ${waitInWords(wait)}.`;
  const sentence = sentences[code]?.(asked) ?? `${asked.name} failed.`;
  return new AppError(code, `${sentence}${waits}${quoted(words, asked)}`, undefined, wait);
}

/** What the door or we ourselves said is already an error of Lares, however deep it was packed. */
function ownError(thrown: unknown): AppError | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) {
    if (at instanceof AppError) return at;
  }
  return undefined;
}

interface Complaint {
  readonly status?: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** For people. */
  readonly words: string;
  /** All of it, to look for codes in. */
  readonly body: string;
}

function complaintOf(thrown: unknown): Complaint {
  if (APICallError.isInstance(thrown)) {
    const { statusCode, responseHeaders = {}, responseBody = "", message } = thrown;
    const words = isPage(responseBody) ? "" : complaintIn(responseBody) || message;
    return {
      status: statusCode === 200 ? statusIn(parsed(responseBody)) : statusCode,
      headers: responseHeaders,
      words,
      body: responseBody,
    };
  }
  const told = isRecord(thrown) && "data" in thrown && thrown["data"] !== undefined ? thrown["data"] : valueIn(thrown);
  const words = wordsIn(told) ?? "";
  const status = isRecord(thrown) && typeof thrown["statusCode"] === "number" ? thrown["statusCode"] : statusIn(told);
  return { status, headers: {}, words, body: words === "" ? "" : JSON.stringify(told) };
}

/** An event that the SDK could not read carries what it was. What an error says by itself is not the vendor's. */
function valueIn(thrown: unknown): unknown {
  if (isRecord(thrown) && "value" in thrown) return thrown["value"];
  return thrown instanceof Error ? undefined : thrown;
}

function codeOf(status: number | undefined, words: string, headers: Complaint["headers"]): ErrorCode | "refusal" {
  const isPageOf = status !== undefined && status < 500 && isPage(words.trim());
  if (isPageOf) return "not-an-api";
  if (status === undefined || status < 500 || status === 529) {
    const told = said.find((one) => one.words.test(words))?.code;
    if (told === "quota" && status === 429 && waitsFor(words, headers)) return "rate-limited";
    if (told) return told;
  }
  if (status === undefined) return "provider-failed";
  return byStatus[status] ?? (status >= 500 ? "overloaded" : status >= 400 ? "request-refused" : "provider-failed");
}

/** Google calls a minute's limit a quota, and says when to come back; an empty account does not. */
const waitsFor = (words: string, headers: Complaint["headers"]): boolean =>
  words.includes("RESOURCE_EXHAUSTED") && retryAfterOf(headers, words) !== undefined;

function quoted(words: string, { key }: Asked): string {
  const clean = redact(words, key === undefined ? [] : [key])
    .replace(/[\s\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .trim();
  if (clean === "") return "";
  return ` It says: “${clean.length > MOST_WORDS ? `${clean.slice(0, MOST_WORDS - 1)}…` : clean}”`;
}

/** What a refusal says, to people and without its codes. */
export const complaintIn = (body: string): string => wordsIn(parsed(body)) ?? body;

/** The sentence in an error of whichever vendor: `{error: {message}}`, `{error: "…"}`, `{message}`, `{detail}`. */
function wordsIn(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return wordsIn(value[0]);
  if (!isRecord(value)) return undefined;
  for (const name of ["error", "message", "detail", "msg", "errors", "response"]) {
    const words = wordsIn(value[name]);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** A status that stands in the error itself. */
function statusIn(value: unknown): number | undefined {
  if (!isRecord(value)) return undefined;
  const inner = isRecord(value["error"]) ? value["error"] : value;
  const found = [inner["code"], inner["status"], inner["status_code"]]
    .map(Number)
    .find((code) => code >= 400 && code < 600);
  return found ?? statusOfKind(String(inner["type"] ?? inner["status"] ?? ""));
}

/** Names of errors that come inside a stream, without a status. */
const kinds: readonly (readonly [RegExp, number])[] = [
  [/auth/i, 401],
  [/permission/i, 403],
  [/not_found/i, 404],
  [/rate_limit|exhausted/i, 429],
  [/overloaded|unavailable/i, 529],
  [/invalid_request|invalid_argument/i, 400],
];
const statusOfKind = (kind: string): number | undefined => kinds.find(([words]) => words.test(kind))?.[1];

const isPage = (text: string): boolean => /^\s*<(!doctype|html|\?xml|head|body)/i.test(text);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // then it is said as it is
  }
}
