import { setTimeout as delay } from "node:timers/promises";

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** After the last event of an answer: most servers close at once, some never do. */
const CLOSING_MS = 300;

/** The events after which a vendor says nothing more. */
const lastEvent = /^\[DONE\]$|^.{0,200}"type":\s*"(message_stop|response\.(completed|incomplete|failed))"/s;
/** What makes an event one of a kind: a number of its own, or the beginning of a call. */
const uniqueEvent = /"sequence_number":\s*\d|"functionCall"|"tool_calls":\s*\[\{[^{}]*"id":\s*"/;

/**
 * Server-sent events as the SDK reads them best: one `data` each, without comments, an event that was sent twice only
 * once, a last one without its blank line all the same, half a one not at all; and an end after the end of the answer.
 */
export function tidiedEvents(reader: Reader, seen: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const events = createEventReader();
  const waiting = [...seen];

  /** Sends on the events that end with the next piece: none yet, some, or the last. */
  async function step(controller: ReadableStreamDefaultController<Uint8Array>): Promise<"more" | "sent" | "over"> {
    const value = waiting.shift() ?? (await reader.read()).value;
    const told = value === undefined ? events.end() : events.push(value);
    const last = told.findIndex((data) => lastEvent.test(data));
    for (const data of last < 0 ? told : told.slice(0, last + 1)) controller.enqueue(encoder.encode(framed(data)));
    if (value === undefined) return "over";
    if (last < 0) return told.length > 0 ? "sent" : "more";
    await closing(reader);
    return "over";
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    let state = await step(controller);
    while (state === "more") state = await step(controller);
    if (state === "over") controller.close();
  }

  return new ReadableStream({ pull, cancel: (reason) => reader.cancel(reason) });
}

const framed = (data: string): string => `${data.replaceAll(/^/gm, "data: ")}\n\n`;

/** Lets the other side close its connection; one that does not is left. */
async function closing(reader: Reader): Promise<void> {
  const given = new AbortController();
  const late = delay(CLOSING_MS, "late" as const, { signal: given.signal, ref: false }).catch(() => "late" as const);
  const ended = drained(reader).then(() => "ended" as const);
  if ((await Promise.race([ended, late])) === "late") await reader.cancel();
  given.abort();
}

async function drained(reader: Reader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // the answer is whole: how its connection ended is the ledger's affair
  }
}

/** The `data` of each event, from pieces cut anywhere. */
function createEventReader() {
  const decoder = new TextDecoder();
  /** The line that has no end yet, piece by piece: a long one is joined once. */
  let line: string[] = [];
  let data: string[] = [];
  let id = "";
  let before = "";
  let skipsLineFeed = false;

  function read(text: string): string[] {
    const told: string[] = [];
    const from = skipsLineFeed && text.startsWith("\n") ? 1 : 0;
    if (text !== "") skipsLineFeed = text.endsWith("\r");
    const pieces = text.slice(from).split(/\r\n|\n|\r/);
    for (const [at, piece] of pieces.entries()) {
      line.push(piece);
      if (at === pieces.length - 1) break;
      told.push(...take(line.join("")));
      line = [];
    }
    return told;
  }

  function take(whole: string): string[] {
    if (whole === "") return dispatch();
    const [, field, value = ""] = /^([^:]*)(?:: ?)?(.*)$/s.exec(whole) ?? [];
    if (field === "data") data.push(value);
    if (field === "id") id = value;
    return [];
  }

  function dispatch(): string[] {
    const event = data.join("\n");
    const named = `${id}\n${event}`;
    const isAgain = named === before && (id !== "" || uniqueEvent.test(event));
    before = named;
    data = [];
    id = "";
    return isAgain || event.trim() === "" ? [] : [event];
  }

  return {
    push: (bytes: Uint8Array): string[] => read(decoder.decode(bytes, { stream: true })),
    end(): string[] {
      const told = read(decoder.decode());
      told.push(...take(line.join("")));
      const [last] = dispatch();
      return last !== undefined && isWhole(last) ? [...told, last] : told;
    },
  };
}

function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false; // the connection broke in the middle of it
  }
}
