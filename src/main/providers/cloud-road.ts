import type { CloudConnection } from "../../shared/cloud.ts";
import { AppError } from "../../shared/errors.ts";
import { readVersion } from "../lib/version.ts";
import type { Door, Errand, Fetch, Visit } from "../net/errand.ts";
import { complaintIn } from "./cloud-errors.ts";
import { tidiedEvents } from "./sse-tidy.ts";
import { vendors } from "./vendors.ts";

/** What is needed to reach a connection. The key is asked for with every request and never kept. */
export interface Link {
  readonly connection: CloudConnection;
  readonly key: () => Promise<string | undefined>;
  readonly door: Door;
}

export interface Road {
  /** The address that requests are built on; `fetch` puts the form of it in its place that answers. */
  readonly baseUrl: string;
  readonly fetch: Fetch;
  readonly visit: Visit;
  /** The answer came whole although a stream was asked for: the next `fetch` gives it, and connects to nothing. */
  readonly isWhole: () => boolean;
}

/** The key as a header can carry it. Throws key-refused, and what the vault throws. */
export async function headerKey({ connection, key }: Pick<Link, "connection" | "key">): Promise<string | undefined> {
  const secret = (await key())?.trim();
  if (secret === undefined || /^[!-~]+$/.test(secret)) return secret;
  const { name } = connection;
  throw new AppError("key-refused", `The key of ${name} has characters that no key has. Copy it once more.`);
}

/** The form of an address that answered, for as long as the door is there. */
const known = new WeakMap<Door, Map<string, string>>();

const agent = `Lares/${readVersion() || "0"}`;

/**
 * The way to a connection for one errand: one request, and a second only where the first showed that the address is
 * written differently (with or without `/v1`). What is not an API throws not-an-api, with what was tried.
 */
export function openRoad({ connection, door }: Omit<Link, "key">, errand: Errand): Road {
  const { origin } = new URL(connection.baseUrl);
  const visit = door.visit({ ...errand, ...(!isOwnAddress(connection) && { granted: origin }) });
  const forms = known.get(door) ?? new Map<string, string>();
  known.set(door, forms);
  const written = withoutEndpoint(connection.baseUrl);
  let asked = false;
  let whole: Response | undefined;

  async function find(path: string, init: RequestInit): Promise<Response> {
    const tried: string[] = [];
    for (const base of formsOf(written, connection, forms.get(written))) {
      const response = await visit.fetch(`${base}${path}`, init);
      const found = await lookedAt(response, init.method === "POST");
      if (found) {
        forms.set(written, base);
        return found;
      }
      tried.push(`${base}${path}`);
    }
    throw new AppError(
      "not-an-api",
      `${connection.name}: what answers at ${tried.join(" and at ")} is not the service that was looked for. Check the address.`,
    );
  }

  return {
    baseUrl: written,
    visit,
    isWhole: () => whole !== undefined,
    async fetch(url, init = {}) {
      if (whole) return whole;
      if (asked) throw new AppError("provider-failed", `${connection.name} wants a second request for one answer.`);
      asked = true;
      const headers = new Headers(init.headers);
      headers.set("user-agent", agent); // the SDK would tell its versions and those of Node
      const response = await find(String(url).slice(written.length), { ...init, headers });
      const wantsStream = typeof init.body === "string";
      if (!wantsStream || !response.ok) return response;
      const opened = await openBody(response, new URL(written).host);
      if (opened.isWhole) {
        whole = opened.response;
        throw new AppError("provider-failed", `${connection.name} answered at once, not as a stream.`);
      }
      return opened.response;
    },
  };
}

/** The vendor's own; any other was typed by the person. */
const isOwnAddress = ({ vendor, baseUrl }: CloudConnection): boolean => vendors[vendor].baseUrl === baseUrl;

/** Somebody may have copied the address of one call. */
const withoutEndpoint = (address: string): string =>
  address.replace(/\/+$/, "").replace(/\/(chat\/completions|completions|responses|messages|models)$/, "");

/** The forms an address may have meant, the likeliest first. That of a vendor, as it is known, is the only one. */
function formsOf(written: string, { vendor }: CloudConnection, found: string | undefined): string[] {
  if (found !== undefined) return [found];
  const { baseUrl, protocol } = vendors[vendor];
  if (written === baseUrl) return [written];
  const bare = written.replace(/\/v\d\w*$/, "");
  if (bare !== written) return [written, bare];
  const versioned = `${written}/${protocol === "google" ? "v1beta" : "v1"}`;
  const isOnlyHost = new URL(written).pathname === "/";
  return isOnlyHost && vendor === "custom" ? [versioned, written] : [written, versioned];
}

/** The response, readable from its beginning; undefined: no API is here. To a question, 404 may mean the model. */
async function lookedAt(response: Response, isQuestion: boolean): Promise<Response | undefined> {
  const { status } = response;
  const isPage = response.headers.get("content-type")?.includes("text/html") ?? false;
  if (response.ok && !isPage) return response;
  if (status !== 404 && status !== 405 && !(response.ok && isPage)) return response;
  const body = await response.text();
  return isQuestion && /model|endpoints found/i.test(complaintIn(body)) && !isPage && status === 404
    ? new Response(body, copyOf(response))
    : undefined;
}

const copyOf = ({ status, statusText, headers }: Response): ResponseInit => ({ status, statusText, headers });

/** Looks at the first character of an answer: an event, a page, or the whole of it as JSON. Throws not-an-api, provider-failed. */
async function openBody(response: Response, host: string): Promise<{ response: Response; isWhole: boolean }> {
  const reader = response.body?.getReader();
  const seen: Uint8Array[] = [];
  let first = "";
  while (reader && first === "") {
    const { done, value } = await reader.read();
    if (done) throw new AppError("provider-failed", "The answer was empty.");
    seen.push(value);
    first = /[^\s\uFEFF]/.exec(Buffer.concat(seen).toString())?.[0] ?? "";
  }
  if (!reader) throw new AppError("provider-failed", "The answer was empty.");
  if (first === "<") {
    await reader.cancel();
    throw new AppError("not-an-api", `What answers at ${host} is a page, not a model. Check the address.`);
  }
  const isWhole = first === "{" || first === "[";
  const body = isWhole ? joined(reader, seen) : tidiedEvents(reader, seen);
  return { response: new Response(body, copyOf(response)), isWhole };
}

function joined(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  seen: readonly Uint8Array[],
): ReadableStream<Uint8Array> {
  const waiting = [...seen];
  return new ReadableStream({
    async pull(controller) {
      const value = waiting.shift() ?? (await reader.read()).value;
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
