import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { aRequest, connect, person } from "../../../tests/support/vendors/connect.ts";
import { type Heard, hear, saidReasoning, saidText } from "../../../tests/support/vendors/hear.ts";
import { jsonReply, startStandIn, streamReply } from "../../../tests/support/vendors/stand-in.ts";
import { bytesOf, doorOf, formats, recorded } from "../../../tests/support/vendors/streams.ts";
import type { Vendor } from "../../../tests/support/vendors/vendors.ts";

const request = aRequest([person("What is the code?")], { tools: [] });

/** So many bytes lie between two places where a stream is parted, when it is parted all over. */
const stride = 13;

/** Cut after each of their bytes; the others, which have nothing that these have not, after each fifth. */
const everyByte = ["Chinese and emoji", "two calls", "reasoning before a call", "cut by its length"];

const counted = { parted: 0, cut: 0 };

/** What is left of an answer however its bytes were cut. */
const essence = (heard: Heard) => ({
  text: saidText(heard),
  reasoning: saidReasoning(heard),
  calls: heard.calls.map(({ name, arguments: text, ended }) => ({ name, text, ended })),
  finish: heard.finish,
  error: heard.error?.code,
});
type Essence = ReturnType<typeof essence>;

/** Listens to a vendor that says these bytes and closes, or breaks off. */
function listenTo(vendor: Vendor, type = "text/event-stream") {
  let pieces: readonly Uint8Array[] = [];
  const provider = (breaks: boolean) =>
    connect({ vendor, baseUrl: `http://127.0.0.1:1${vendor.base}`, door: doorOf(() => pieces, { breaks, type }) })
      .provider;
  const [closing, breaking] = [provider(false), provider(true)];
  return async (next: readonly Uint8Array[], { breaks = false } = {}): Promise<Essence> => {
    pieces = next;
    return essence(await hear(breaks ? breaking : closing, request));
  };
}

/** Pieces that part at `first` and from there on at every stride. */
function parted(bytes: Buffer, first: number): Buffer[] {
  const pieces = [bytes.subarray(0, first)];
  for (let at = first; at < bytes.length; at += stride) pieces.push(bytes.subarray(at, at + stride));
  return pieces;
}

/** What must not be after a stream was cut: other words, a call that is not whole, or an end as if nothing were missing. */
function wrongAfterCut(heard: Essence, whole: Essence): string | undefined {
  if (!whole.text.startsWith(heard.text)) return "other text";
  if (!whole.reasoning.startsWith(heard.reasoning)) return "other reasoning";
  if (heard.error === undefined)
    return JSON.stringify(heard) === JSON.stringify(whole) ? undefined : "a clean end too early";
  if (heard.error !== "provider-failed") return "another error than that it broke off";
  return heard.calls.some(({ ended }) => ended) ? "a call was ended although the answer broke off" : undefined;
}

describe.each(formats)("$name", (vendor) => {
  const answers = Object.entries(recorded);

  test.each(answers)("%s: says the same wherever its bytes are parted", async (_, make) => {
    const bytes = bytesOf(vendor, make);
    const listen = listenTo(vendor);
    const whole = await listen([bytes]);
    expect(whole.error).toBeUndefined();
    expect(whole.calls.every(({ ended }) => ended)).toBe(true);
    for (let first = 1; first <= stride; first++)
      expect([first, await listen(parted(bytes, first))]).toEqual([first, whole]);
    expect(await listen([...bytes].map((byte) => Buffer.of(byte)))).toEqual(whole);
    counted.parted += bytes.length - 1;
  });

  test("says the same when it comes in two halves, wherever the second begins", async () => {
    const bytes = bytesOf(vendor, recorded["cut by its length"]!);
    const listen = listenTo(vendor);
    const whole = await listen([bytes]);
    for (let at = 1; at < bytes.length; at++) {
      const heard = await listen([bytes.subarray(0, at), bytes.subarray(at)]);
      if (JSON.stringify(heard) !== JSON.stringify(whole)) expect([at, heard]).toEqual([at, whole]);
    }
    counted.parted += bytes.length - 1;
  });

  test.each(answers)("%s: keeps what came of it and runs no half call, wherever it is cut", async (name, make) => {
    const bytes = bytesOf(vendor, make);
    const listen = listenTo(vendor);
    const whole = await listen([bytes]);
    const step = everyByte.includes(name) ? 1 : 5;
    for (let length = 0; length < bytes.length; length += step) {
      const heard = await listen([bytes.subarray(0, length)], { breaks: length % 2 === 1 });
      const wrong = wrongAfterCut(heard, whole);
      if (wrong !== undefined) expect([wrong, length, heard]).toEqual([]);
      counted.cut += 1;
    }
  });

  test("the same holds over sockets that are broken at forty places", async () => {
    const bytes = bytesOf(vendor, recorded["reasoning before a call"]!);
    const whole = await listenTo(vendor)([bytes]);
    const lengths = Array.from({ length: 40 }, (_, at) => Math.floor((at / 40) * bytes.length));
    const script = lengths.map((length) => streamReply([bytes.subarray(0, length)], length % 2 === 1 ? "cut" : "end"));
    const server = await startStandIn({ wire: vendor.wire, base: vendor.base, script, lenient: true });
    const { provider, ledger } = connect({ vendor, baseUrl: server.baseUrl });
    for (const length of lengths) {
      const heard = essence(await hear(provider, request));
      expect([length, wrongAfterCut(heard, whole)]).toEqual([length, undefined]);
      expect(ledger()[0]).toMatchObject({ bodyIn: length });
    }
    await server.close();
  });
});

test("more than 20,000 places were tried", () => {
  process.stdout.write(`streams parted at ${counted.parted} places, cut at ${counted.cut}\n`);
  expect(counted.parted + counted.cut).toBeGreaterThan(20_000);
});

interface HostileStream {
  readonly id: string;
  readonly format: string;
  readonly type?: string;
  /** A recorded stream and what is changed in it, or the whole stream. */
  readonly from?: string;
  readonly replace?: readonly string[];
  readonly input?: readonly string[];
  readonly expected: "same" | Expected;
}

interface Expected {
  readonly text?: string;
  readonly calls?: readonly (readonly [string, string, boolean])[];
  readonly finish?: string;
  readonly error?: string;
  /** Whatever else comes of it: no call is whole and an object. */
  readonly unrunnable?: boolean;
  readonly unpolluted?: boolean;
}

const swollen = (text: string): string => text.replace(/\{(\d+)\}/g, (_, times) => "x".repeat(Number(times)));

function hostileBytes({ from, replace = [], input = [] }: HostileStream, vendor: Vendor): Buffer {
  if (from === undefined) return Buffer.from(swollen(input.join("")));
  const [search = "", put = ""] = replace;
  return Buffer.from(bytesOf(vendor, recorded[from]!).toString().replace(new RegExp(search, "g"), swollen(put)));
}

const runnable = ({ calls }: Essence): string[] =>
  calls.flatMap(({ ended, text }) => (ended && isObject(text) ? text : []));

function isObject(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

const hostile: readonly HostileStream[] = JSON.parse(readFileSync("tests/hostile/sse.json", "utf8"));
const hostileCases = hostile.flatMap((stream) =>
  formats
    .filter(({ name }) => stream.format === "all" || stream.format === name)
    .map((vendor) => [stream.id, vendor.name, stream, vendor] as const),
);

test.each(hostileCases)("%s, from %s", async (_id, _name, stream, vendor) => {
  const bytes = hostileBytes(stream, vendor);
  const listen = listenTo(vendor, stream.type);
  const middle = Math.floor(bytes.length / 2);
  const heard = await listen([bytes.subarray(0, middle), bytes.subarray(middle)]);
  const { expected } = stream;
  if (expected === "same")
    return expect(heard).toEqual(await listenTo(vendor)([bytesOf(vendor, recorded[stream.from ?? ""]!)]));
  const { text, calls, finish, error, unrunnable, unpolluted } = expected;
  if (text !== undefined) expect(heard.text === swollen(text) || heard.text).toBe(true);
  if (calls) expect(heard.calls.map((call) => [call.name, call.text, call.ended])).toEqual(calls);
  if (finish !== undefined) expect(heard.finish).toBe(finish);
  if (error !== undefined || (text !== undefined && finish !== undefined)) expect(heard.error).toBe(error);
  if (unrunnable) expect(runnable(heard)).toEqual([]);
  if (unpolluted) expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

describe.each(formats)("$name over a socket", (vendor) => {
  const make = recorded["words before a call"]!;
  const talk = async (reply: Parameters<typeof startStandIn>[0]["script"][number]) => {
    const server = await startStandIn({ wire: vendor.wire, base: vendor.base, script: [reply], lenient: true });
    const { provider } = connect({ vendor, baseUrl: server.baseUrl });
    const heard = essence(await hear(provider, request));
    await server.close();
    return heard;
  };
  const packed = (body: Uint8Array, then?: "cut" | "end") => ({
    headers: { "content-type": "text/event-stream", "content-encoding": "gzip" },
    body,
    ...(then && { then }),
  });

  test("understands an answer that is packed", async () => {
    const whole = await listenTo(vendor)([bytesOf(vendor, make)]);
    expect(await talk(packed(gzipSync(bytesOf(vendor, make))))).toEqual(whole);
  });

  test.each(["cut", "end"] as const)("keeps what came of a packed answer that was %s in the middle", async (then) => {
    const whole = await listenTo(vendor)([bytesOf(vendor, make)]);
    const bytes = gzipSync(bytesOf(vendor, make));
    const heard = await talk(packed(bytes.subarray(0, bytes.length * 0.7), then));
    expect([wrongAfterCut(heard, whole), heard.error]).toEqual([undefined, "provider-failed"]);
  });

  test("understands a server that pays no attention to `stream`", async () => {
    const { text, calls, finish } = await talk(jsonReply(200, vendor.wire.whole(make(vendor))));
    const whole = await listenTo(vendor)([bytesOf(vendor, make)]);
    expect({ text, calls, finish }).toEqual({ text: whole.text, calls: whole.calls, finish: whole.finish });
  });
});
