import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { AppError, ErrorCode } from "../../shared/errors.ts";
import { type CallName, contract } from "../../shared/ipc.ts";
import { type Log, silentLog } from "../lib/log.ts";
import { redact } from "../lib/redact.ts";
import { createRateLimit } from "./rate.ts";
import { createCallServer, type Handlers } from "./serve.ts";

interface Case {
  readonly row: string;
  readonly what: string;
  readonly name: unknown;
  readonly input?: unknown;
  readonly json?: string;
  readonly make?: string;
}

const names = Object.keys(contract) as CallName[];
const always = { mayCall: () => true };

/** A server whose handlers only remember that they were reached. */
function aServer(handle: (input: unknown) => unknown = () => ({})) {
  const reached: CallName[] = [];
  const logged: string[] = [];
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (event, fields) => void logged.push(`${event} ${JSON.stringify(fields)}`),
  };
  const handlers = Object.fromEntries(
    names.map((name) => [
      name,
      (input: unknown) => {
        reached.push(name);
        return handle(input);
      },
    ]),
  ) as unknown as Handlers<typeof always>;
  return { answer: createCallServer(handlers, log), reached, logged };
}

const circle: Record<string, unknown> = {};
circle.a = circle;
circle.b = circle;

const made: Record<string, () => unknown> = {
  "long-text": () => ({ chatId: "c", text: "x".repeat(64 * 1024 * 1024) }),
  "long-key": () => ({ ["x".repeat(64 * 1024 * 1024)]: 1 }),
  "many-parts": () => Array.from({ length: 1_000_000 }, () => 0),
  sparse: () => ({ list: new Array(1_000_000_000) }),
  deep: () => JSON.parse("[".repeat(10_000) + "]".repeat(10_000)),
  circle: () => circle,
  map: () => new Map([["admin", true]]),
  bytes: () => ({ chatId: "c", text: new Uint8Array(10) }),
  trap: () => ({
    get admin() {
      throw new Error("a trap");
    },
  }),
};

const file = join(import.meta.dirname, "../../../tests/hostile/ipc.json");
const cases = JSON.parse(readFileSync(file, "utf8")) as Case[];

test.each(cases)("$row: $what is refused before any handler sees it", async ({ name, input, json, make }) => {
  const { answer, reached, logged } = aServer();
  const payload = json === undefined ? (made[make ?? ""]?.() ?? input) : JSON.parse(json);

  const reply = await answer(name, payload, always);

  expect(reply).toMatchObject({ ok: false, error: { code: "bad-request", retryable: false } });
  expect(JSON.stringify(reply).length).toBeLessThan(600);
  expect(reached).toEqual([]);
  expect(logged).toEqual([]);
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
});

test.each(names)(
  "a thousand random inputs of %s: a reply each, typed, and no handler for what does not fit",
  async (name) => {
    const fitting = () => contract[name].input;
    const near = fc.record(
      Object.fromEntries(
        ["chatId", "text", "turnId", "inboundId", "change", "seq", "model", "limit", "query", "private"].map((key) => [
          key,
          fc.oneof(fc.anything(), fc.string(), fc.integer(), fc.boolean()),
        ]),
      ),
      { requiredKeys: [] },
    );
    const payload = fc.oneof(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), near);
    await fc.assert(
      fc.asyncProperty(payload, async (input) => {
        const { answer, reached } = aServer();
        const reply = await answer(name, input, always);
        if (reached.length > 0) expect(fitting().safeParse(input).success).toBe(true);
        if (!reply.ok && reached.length === 0) expect(reply.error.code).toBe("bad-request");
        if (!reply.ok) expect(ErrorCode.safeParse(reply.error.code).success).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  },
);

test("only what the contract promises crosses", async () => {
  const { answer } = aServer(() => ({ chatId: "c1", secret: "key" }));
  expect(await answer("chats.create", { private: false }, always)).toEqual({ ok: true, value: { chatId: "c1" } });
});

test("a failure that has a name crosses with it, and is no matter for the log", async () => {
  const { answer, logged } = aServer(() => {
    throw new AppError("disk-full", "The disk is full.");
  });
  expect(await answer("app.hello", {}, always)).toEqual({
    ok: false,
    error: { code: "disk-full", message: "The disk is full.", retryable: true },
  });
  expect(logged).toEqual([]);
});

test("a bug is logged with its call and its place, never with what was said", async () => {
  const { answer, logged } = aServer((input) => {
    throw new TypeError(`cannot read\n    ${JSON.stringify(input)}`);
  });
  const text = "something very private";
  const reply = await answer("chats.draft", { chatId: "c", text }, always);
  expect(reply).toMatchObject({ ok: false, error: { code: "internal" } });
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/call failed.*chats\.draft.*serve\.test\.ts/);
  expect(logged[0]).not.toContain("private");
});

test("an answer that is not what the contract promises is a bug, not an answer", async () => {
  const { answer, logged } = aServer(() => ({ chatId: 7 }));
  expect(await answer("chats.create", { private: false }, always)).toMatchObject({
    ok: false,
    error: { code: "internal" },
  });
  expect(logged).toHaveLength(1);
});

test("B11: of 10,000 calls at once 2,000 are answered, 500 more a second later, and acknowledgements always", async () => {
  const { answer, reached } = aServer();
  let now = 0;
  const page = { mayCall: createRateLimit(() => now) };
  const callMany = () =>
    Promise.all(Array.from({ length: 10_000 }, () => answer("waiting.drop", { inboundId: "i" }, page)));

  const replies = await callMany();
  expect(reached).toHaveLength(2_000);
  expect(replies.at(-1)).toMatchObject({ ok: false, error: { code: "bad-request" } });

  now += 1_000;
  await callMany();
  expect(reached).toHaveLength(2_500);

  expect(await answer("stream.ack", { seq: 1 }, page)).toEqual({ ok: true, value: {} });
});

test("E8 a vendor that says a key back says it to nobody: neither one that is known, nor what looks like one", async () => {
  const words = "Incorrect API key provided: sk-CANARY-0123456789abcdef, of user canary-pass";
  const handlers = { "app.hello": () => Promise.reject(new AppError("key-refused", words)) };
  const server = (clean?: (text: string) => string) =>
    createCallServer(handlers as unknown as Handlers<typeof always>, silentLog, clean);
  const messageOf = async (clean?: (text: string) => string) => {
    const reply = await server(clean)("app.hello", {}, always);
    return reply.ok ? "" : reply.error.message;
  };
  expect(await messageOf()).toBe("Incorrect API key provided: [key removed], of user canary-pass");
  expect(await messageOf((text) => redact(text, ["canary-pass"]))).toBe(
    "Incorrect API key provided: [key removed], of user [key removed]",
  );
});
