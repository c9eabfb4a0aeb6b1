import type { IncomingMessage } from "node:http";

/** What the rules need of a request: Node's, before anything of its body was read. */
export type Request = Pick<IncomingMessage, "method" | "url" | "headers" | "rawHeaders">;

/** `upgrade`: it asks for a WebSocket. */
export interface Asked {
  readonly request: Request;
  readonly port: number;
  readonly upgrade: boolean;
}

interface Rule {
  readonly status: number;
  readonly isBroken: (asked: Asked) => boolean;
}

const methods: readonly unknown[] = ["GET", "POST"];
const sites: readonly unknown[] = ["same-origin", "none", undefined];

/**
 * What every request must be, in this order; the first broken rule is the answer. Any page of any site can send requests
 * to this computer: only ours may be heard, and nothing here trusts the network to tell them apart.
 */
const rules: readonly Rule[] = [
  { status: 400, isBroken: ({ request }) => countOf(request, "host") !== 1 || countOf(request, "origin") > 1 },
  { status: 421, isBroken: ({ request, port }) => !hostsOf(port).includes(request.headers.host ?? "") },
  // Nothing of ours has a query, and a secret in one would end up in histories and logs.
  { status: 400, isBroken: ({ request }) => request.url?.includes("?") !== false },
  { status: 403, isBroken: ({ request }) => request.method === "OPTIONS" },
  { status: 405, isBroken: ({ request }) => !methods.includes(request.method) },
  { status: 403, isBroken: ({ request }) => !sites.includes(request.headers["sec-fetch-site"]) },
  { status: 403, isBroken: (asked) => !isOurOrigin(asked) },
  { status: 403, isBroken: ({ request }) => request.headers["service-worker"] !== undefined },
  { status: 400, isBroken: ({ request }) => request.method === "GET" && hasBody(request) },
];

/** The HTTP status that refuses the request, or undefined: it may be heard. */
export function refusalOf(asked: Asked): number | undefined {
  return rules.find(({ isBroken }) => isBroken(asked))?.status;
}

const hostsOf = (port: number): readonly string[] =>
  ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`);

/** The origin of the very address that was asked. Only a plain GET of a browser comes without one. */
function isOurOrigin({ request, upgrade }: Asked): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return request.method === "GET" && !upgrade;
  return origin === `http://${host}`;
}

const hasBody = ({ headers }: Request): boolean =>
  headers["transfer-encoding"] !== undefined || !["0", undefined].includes(headers["content-length"]);

/** Node keeps the first of two equal headers; an attacker may hope that someone else keeps the second. */
const countOf = ({ rawHeaders }: Request, name: string): number =>
  rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === name).length;
