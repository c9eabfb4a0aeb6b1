import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { aDoor } from "../../../tests/support/door.ts";
import { startRawServer } from "../../../tests/support/raw-server.ts";
import { aRequest, connect, person, testKey } from "../../../tests/support/vendors/connect.ts";
import { hear, saidText } from "../../../tests/support/vendors/hear.ts";
import { answer, english, texts } from "../../../tests/support/vendors/samples.ts";
import { jsonReply, startStandIn, streamReply } from "../../../tests/support/vendors/stand-in.ts";
import { formats } from "../../../tests/support/vendors/streams.ts";
import { standInOf } from "../../../tests/support/vendors/vendors.ts";
import { withinLimits } from "../agent/time-limits.ts";

interface VendorError {
  readonly id: string;
  readonly vendor: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The vendor's own; a text is sent as it is. */
  readonly body: unknown;
  /** What it becomes; refusal: an answer that says so. */
  readonly code: string;
  /** Words that have to be in the sentence. */
  readonly says?: string;
  /** Milliseconds that the vendor asks to wait. */
  readonly wait?: number;
}

const errors: readonly VendorError[] = JSON.parse(readFileSync("tests/hostile/vendors.json", "utf8"));
const question = aRequest([person("What is the code?")]);

describe("what a vendor refuses becomes one sentence with its own words", () => {
  test.each(errors.map((error) => [error.id, error.code, error] as const))("%s: %s", async (_id, code, error) => {
    const vendor = standInOf(error.vendor);
    const { status, headers, body, says = "", wait } = error;
    const reply =
      typeof body === "string" ? { status, body, headers: headers ?? {} } : jsonReply(status, body, headers);
    const server = await startStandIn({ wire: vendor.wire, base: vendor.base, script: [reply], lenient: true });
    const link = connect({ vendor, baseUrl: server.baseUrl });
    const heard = await hear(link.provider, question);
    const tested = await link.models("key-test").catch((thrown: unknown) => thrown);
    await server.close();
    const sentence = heard.error?.message ?? saidText(heard);
    expect(code === "refusal" ? heard.finish : heard.error?.code).toBe(code === "refusal" ? "content_filter" : code);
    expect(sentence).toContain(says);
    expect(sentence.length).toBeLessThan(600);
    expect(sentence).not.toMatch(/sk-canary|c2stY2FuYXJ5|\p{Cc}|[\u202a-\u202e]/u);
    expect(heard.error?.retryAfterMs).toBe(wait);
    expect(heard.calls).toEqual([]);
    expect(tested).not.toBeInstanceOf(TypeError);
    expect(JSON.stringify(link.ledger())).not.toContain(testKey);
  });
});

describe("a wait that is told as a date", () => {
  const vendor = standInOf("anthropic");
  const waitUntil = async (date: string) => {
    const reply = jsonReply(429, vendor.wire.error({ status: 429, message: "Slow down." }), { "retry-after": date });
    const server = await startStandIn({ wire: vendor.wire, script: [reply] });
    const { error } = await hear(connect({ vendor, baseUrl: server.baseUrl }).provider, question);
    await server.close();
    return error;
  };

  test("is what is left until then", async () => {
    const error = await waitUntil(new Date(Date.now() + 30_000).toUTCString());
    expect(error?.retryAfterMs).toBeGreaterThan(20_000);
    expect(error?.retryAfterMs).toBeLessThanOrEqual(30_000);
  });

  test("is no wait at all when it is over, or is no date: then our own holds", async () => {
    for (const date of ["Wed, 21 Oct 2015 07:28:00 GMT", "tomorrow", ""])
      expect(await waitUntil(date)).toMatchObject({ code: "rate-limited", retryAfterMs: undefined });
  });

  test("far away is an error that says when", async () => {
    const error = await waitUntil(new Date(Date.now() + 3 * 3_600_000).toUTCString());
    expect(error).toMatchObject({ code: "rate-limited", message: expect.stringMatching(/wait .*(180 min|3 h)/) });
  });
});

describe.each(formats)("an address of $name", (vendor) => {
  const endpoint = vendor.wire === standInOf("openai").wire ? "/responses" : "/models";

  test.each([
    ["without its version", ""],
    ["with a slash at its end", `${vendor.base}/`],
    ["as it is", vendor.base],
    ["of one of its calls", `${vendor.base}${endpoint}`],
  ])("%s is understood", async (_, written) => {
    const server = await startStandIn({
      wire: vendor.wire,
      base: vendor.base,
      key: testKey,
      script: [answer(texts(english))],
    });
    const { provider, models } = connect({ vendor, baseUrl: `${server.origin}${written}` });
    const heard = await hear(provider, question);
    const offered = await models();
    await server.close();
    expect([heard.error, saidText(heard)]).toEqual([undefined, english]);
    expect(offered.map(({ id }) => id)).toEqual(["stand-in-1"]);
  });

  test("that leads elsewhere says so", async () => {
    const server = await startStandIn({ wire: vendor.wire, base: "/elsewhere", script: [] });
    const { provider, models } = connect({ vendor, baseUrl: `${server.origin}/wrong/path` });
    const { error } = await hear(provider, question);
    const offered = await models().catch((thrown: unknown) => thrown);
    await server.close();
    expect(error).toMatchObject({ code: "not-an-api", message: expect.stringContaining("/wrong/path") });
    expect(offered).toMatchObject({ code: "not-an-api" });
  });
});

describe("a server that cannot be reached or trusted", () => {
  const vendor = standInOf("openai");
  const ask = async (baseUrl: string, door = aDoor()) => {
    const heard = await hear(connect({ vendor, baseUrl, door }).provider, question);
    return { ...heard, rows: door.rows() };
  };

  test("because nobody listens is offline", async () => {
    const server = await startStandIn({ wire: vendor.wire, script: [] });
    await server.close();
    const { error, rows } = await ask(server.baseUrl);
    expect(error).toMatchObject({ code: "offline", message: expect.stringContaining("Check the connection") });
    expect(rows).toMatchObject([{ outcome: "failed", error: "offline", bodyOut: 0 }]);
  });

  test("because its name is unknown is offline", async () => {
    const unknown = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    const door = aDoor({ resolve: () => Promise.reject(unknown) });
    expect((await ask("https://api.vendor.test/v1", door)).error?.code).toBe("offline");
  });

  test("because its certificate is its own gets no key and no word", async () => {
    const pem = (name: string) => readFileSync(join("tests/fixtures/tls", name), "utf8");
    const server = await startRawServer(() => undefined, { tls: { key: pem("key.pem"), cert: pem("valid.pem") } });
    const door = aDoor({ resolve: async () => ["127.0.0.1"] });
    const { error } = await ask(`https://hub.test:${server.port}/v1`, door);
    await server.close();
    expect([error?.code, server.requests]).toEqual(["server-untrusted", []]);
  });

  test("because its answer never begins is given up, and what was sent is told", async () => {
    const server = await startRawServer(() => undefined);
    const door = aDoor({ limits: { headersMs: 40, nearbyHeadersMs: 40 } });
    const { error, events, rows } = await ask(`${server.origin}/v1`, door);
    await server.close();
    expect([error?.code, events.map(({ type }) => type)]).toEqual(["timeout", ["sent", "trip"]]);
    expect(rows).toMatchObject([{ error: "timeout", bodyOut: server.requests[0]?.body.length }]);
  });

  test("because it falls silent in the middle is left, with what it said", async () => {
    const events = vendor.wire.events(answer(texts(english))).map((text) => Buffer.from(text));
    const server = await startStandIn({ wire: vendor.wire, script: [streamReply(events.slice(0, -4), "hang")] });
    const { provider } = connect({ vendor, baseUrl: server.baseUrl });
    const limits = { requestMs: 5_000, streamMs: 5_000, idleMs: 60 };
    const watched = {
      stream: (...asked: Parameters<typeof provider.stream>) =>
        withinLimits((inner) => provider.stream(asked[0], inner), asked[1], limits),
    };
    const heard = await hear(watched, question);
    const left = await server.requests[0]?.left;
    await server.close();
    expect([heard.error?.code, english.startsWith(saidText(heard)), saidText(heard) !== "", left]).toEqual([
      "timeout",
      true,
      true,
      true,
    ]);
  });

  test("because the network wants a sign-in first tells the sign-in page neither key nor words", async () => {
    const portal = await startStandIn({ wire: vendor.wire, base: "", script: [], lenient: true });
    const location = `${portal.origin}/login`;
    const server = await startStandIn({
      wire: vendor.wire,
      lenient: true,
      script: [{ status: 302, headers: { location }, body: "" }],
    });
    const { error } = await ask(server.baseUrl);
    await server.close();
    await portal.close();
    expect(["not-an-api", "address-refused"]).toContain(error?.code);
    const told = portal.requests.map(({ headers, body }) => `${JSON.stringify(headers)} ${body}`).join();
    expect(told).not.toContain(testKey);
    expect(told).not.toContain("What is the code?");
  });
});

describe("a key", () => {
  test.each([` ${testKey}`, `${testKey}\n`, `\t${testKey} \r\n`])(
    "with blanks around it (%j) is the key without them, or refused in words",
    async (key) => {
      const vendor = standInOf("anthropic");
      const server = await startStandIn({ wire: vendor.wire, key: testKey, script: [answer(texts(english))] });
      const { provider } = connect({ vendor, baseUrl: server.baseUrl, key });
      const heard = await hear(provider, question);
      await server.close();
      expect(heard.error?.code ?? saidText(heard)).toBe(english);
    },
  );

  test.each(["sk-one\nX-Evil: 1", "sk-键", "sk-\u0000"])(
    "that no header can carry (%j) sends nothing, and is not told",
    async (key) => {
      for (const name of ["openai", "anthropic", "google"] as const) {
        const vendor = standInOf(name);
        const server = await startStandIn({ wire: vendor.wire, base: vendor.base, key: testKey, script: [] });
        const { provider } = connect({ vendor, baseUrl: server.baseUrl, key });
        const { error } = await hear(provider, question);
        await server.close();
        expect([name, error?.code]).toEqual([name, "key-refused"]);
        expect(error?.message).not.toContain(key);
        expect(server.requests).toEqual([]);
      }
    },
  );
});
