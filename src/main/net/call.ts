import { AppError } from "../../shared/errors.ts";
import { hostOf } from "./addresses.ts";

/** A request before it goes. */
export interface Call {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

/** What the connection says for itself, and what would lead a request astray. */
const ours = ["host", "connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "cookie"];
/** All that another origin is told: who asks is not among it. */
const forAnyone = ["accept", "accept-encoding", "accept-language", "content-type", "if-range", "range", "user-agent"];
const redirects = [301, 302, 303, 307, 308];

/** What a caller asks for, as it will be sent. Throws bad-request. */
export function callOf(url: string | URL, init: RequestInit = {}): Call {
  if (!URL.canParse(String(url))) throw new AppError("bad-request", "That is not an address of the web.");
  const headers = new Headers(init.headers);
  for (const name of ours) headers.delete(name);
  if (!headers.has("user-agent")) headers.set("user-agent", "Lares");
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "gzip");
  return { url: new URL(url), method: (init.method ?? "GET").toUpperCase(), headers, body: bytesOf(init.body) };
}

function bytesOf(body: RequestInit["body"]): Uint8Array | undefined {
  if (body === null || body === undefined) return undefined;
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new AppError("bad-request", "What is sent must be whole before it leaves: text, or bytes.");
}

/** The address that an answer sends its request on to, as it says it; undefined: it is the answer. */
export const locationOf = ({ status, headers }: Response): string | undefined =>
  (redirects.includes(status) && headers.get("location")) || undefined;

/** The request as it goes on to `location`. Throws address-refused. */
export function nextCall(call: Call, status: number, location: string): Call {
  if (!URL.canParse(location, call.url.href))
    throw new AppError(
      "address-refused",
      `${hostOf(call.url)} redirects to an address that is not safe to follow. Nothing was fetched.`,
    );
  const url = new URL(location, call.url);
  const isSame = url.origin === call.url.origin;
  const turnsToGet = status === 303 || (status < 303 && call.method === "POST");
  const kept = [...call.headers].filter(([name]) => isSame || forAnyone.includes(name));
  return {
    url,
    method: turnsToGet ? "GET" : call.method,
    headers: new Headers(kept),
    body: turnsToGet ? undefined : call.body,
  };
}
