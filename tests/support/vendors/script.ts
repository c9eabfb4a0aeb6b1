import type { IncomingHttpHeaders } from "node:http";

/** A piece of what a stand-in's model says, in the order in which it streams. */
export type Piece =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly call: number; readonly id: string; readonly name: string }
  | { readonly call: number; readonly arguments: string };

export type Finish = "stop" | "calls" | "length" | "filter" | "refusal";

/** What vendors count: `cached` and `thought` are parts of `input` and `output`. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly thought: number;
}

/** A good answer in no format yet: each wire writes it down in its own. */
export interface Answer {
  readonly pieces: readonly Piece[];
  readonly finish: Finish;
  readonly tokens: Tokens;
}

/** An answer byte by byte as a test wants it, good or bad. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Written piece by piece, each one a chunk of its own on the socket. */
  readonly body: string | Uint8Array | readonly Uint8Array[];
  /** After the last piece: close properly, break the connection, or say nothing more. */
  readonly then?: "end" | "cut" | "hang";
}

/** What a server of one format knows. */
export interface Wire {
  /** Whether a path under the base address takes messages. */
  readonly takes: (path: string) => boolean;
  /** What the vendor would refuse of this request, by its documentation. */
  readonly judge: (asked: Asked) => Refusal | undefined;
  /** The key as this vendor wants it; undefined: it is not where it belongs. */
  readonly keyOf: (headers: IncomingHttpHeaders) => string | undefined;
  /** The events of an answer, each a string of its own. */
  readonly events: (answer: Answer) => readonly string[];
  /** The answer of a server that pays no attention to `stream`. */
  readonly whole: (answer: Answer) => unknown;
  /** The vendor's own JSON for a refusal. */
  readonly error: (refusal: Refusal) => unknown;
  readonly models: (ids: readonly string[]) => unknown;
}

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Parsed; undefined: it is no JSON. */
  readonly body: unknown;
}

export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The vendor's name for it, where the status is not enough. */
  readonly kind?: string;
}

/** One server-sent event. */
export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const bearer = ({ authorization = "" }: IncomingHttpHeaders): string | undefined =>
  /^Bearer (\S+)$/.exec(authorization)?.[1];

export const refused = (message: string, status = 400, kind?: string): Refusal => ({
  status,
  message,
  ...(kind !== undefined && { kind }),
});

/** The calls of an answer with their arguments joined. */
export function wholeCalls(pieces: readonly Piece[]): { id: string; name: string; arguments: string }[] {
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const piece of pieces) {
    if ("name" in piece) calls[piece.call] = { id: piece.id, name: piece.name, arguments: "" };
    else if ("arguments" in piece) calls[piece.call]!.arguments += piece.arguments;
  }
  return calls;
}

export const wholeText = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => ("text" in piece ? piece.text : "")).join("");
export const wholeReasoning = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => ("reasoning" in piece ? piece.reasoning : "")).join("");
