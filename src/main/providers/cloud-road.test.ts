import { afterEach, describe, expect, test } from "vitest";
import { aRequest, connect, person } from "../../../tests/support/vendors/connect.ts";
import { hear, saidText } from "../../../tests/support/vendors/hear.ts";
import { answer, texts } from "../../../tests/support/vendors/samples.ts";
import type { Reply } from "../../../tests/support/vendors/script.ts";
import { jsonReply, type StandIn, startStandIn, streamReply } from "../../../tests/support/vendors/stand-in.ts";
import { standInOf } from "../../../tests/support/vendors/vendors.ts";

const vendor = standInOf("custom (as OpenAI)");
const asking = aRequest([person("Hi")]);
let server: StandIn | undefined;
afterEach(() => server?.close());

async function start(base: string, script: readonly Reply[] = []) {
  const said = script.length > 0 ? script : [answer(texts("Four."))];
  server = await startStandIn({ wire: vendor.wire, base, script: said, lenient: script.length > 0 });
  return server;
}

const paths = ({ requests }: StandIn): string[] => requests.map(({ method, path }) => `${method} ${path}`);

describe("an address", () => {
  for (const [written, base] of [
    ["", "/v1"],
    ["/", "/v1"],
    ["/v1", "/v1"],
    ["/v1/", "/v1"],
    ["/v1", ""],
    ["/v1/chat/completions", "/v1"],
    ["/api/openai", "/api/openai"],
    ["/api/openai", "/api/openai/v1"],
    ["/api/openai/v1", "/api/openai"],
  ] as const) {
    test(`"${written}" finds what is at "${base}", and finds it out once`, async () => {
      const { origin } = await start(base);
      const { provider } = connect({ vendor, baseUrl: `${origin}${written}`, key: undefined });
      expect(saidText(await hear(provider, asking))).toBe("Four.");
      const found = server?.requests.length;
      expect(saidText(await hear(provider, asking))).toBe("Four.");
      expect(server?.requests.length).toBe((found ?? 0) + 1);
    });
  }

  test("with no API behind it says what was tried, and what was sent is known", async () => {
    const { origin } = await start("/elsewhere");
    const { provider, ledger } = connect({ vendor, baseUrl: `${origin}/v1`, key: undefined });
    const { error, events } = await hear(provider, asking);
    expect(error?.code).toBe("not-an-api");
    expect(error?.message).toContain(`${origin}/v1/chat/completions and at ${origin}/chat/completions`);
    expect(events.map(({ type }) => type)).toEqual(["sent", "trip"]);
    expect(ledger().length).toBe(2);
  });

  test("whose model is not there is not looked for elsewhere", async () => {
    const { baseUrl } = await start("/v1", [jsonReply(404, { error: { message: "model 'x' not found" } })]);
    const { provider } = connect({ vendor, baseUrl, key: undefined });
    expect((await hear(provider, asking)).error?.code).toBe("model-gone");
    expect(paths(server as StandIn)).toEqual(["POST /chat/completions"]);
  });

  test("is found by the list of models too", async () => {
    const { origin } = await start("/v1");
    const { models } = connect({ vendor, baseUrl: origin, key: undefined });
    expect((await models()).map(({ id }) => id)).toEqual(["stand-in-1"]);
  });
});

describe("a request", () => {
  test("that is never answered is known to have left, and stops at once", async () => {
    const { baseUrl } = await start("/v1", [streamReply([], "hang")]);
    const { provider, ledger } = connect({ vendor, baseUrl, key: undefined });
    const stop = new AbortController();
    const heard = await hear(provider, asking, {
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === "sent") stop.abort();
      },
    });
    expect(heard.events.map(({ type }) => type)).toEqual(["sent", "trip", "finish"]);
    expect(heard.finish).toBe("aborted");
    expect(await (server as StandIn).requests[0]?.left).toBe(true);
    expect(ledger().length).toBe(1);
  });

  test("that nobody reads to its end lets go of the connection", async () => {
    const delta = { choices: [{ index: 0, delta: { content: "Four" }, finish_reason: null }] };
    const { baseUrl } = await start("/v1", [streamReply(`data: ${JSON.stringify(delta)}\n\n`, "hang")]);
    const { provider } = connect({ vendor, baseUrl, key: undefined });
    for await (const { type } of provider.stream(asking, new AbortController().signal)) if (type === "text") break;
    expect(await (server as StandIn).requests[0]?.left).toBe(true);
  });

  test("that nobody waits for any more, before a word of its answer, lets go of the connection too", async () => {
    const { baseUrl } = await start("/v1", [streamReply([], "hang")]);
    const { provider } = connect({ vendor, baseUrl, key: undefined });
    const arrived = (server as StandIn).next();
    for await (const { type } of provider.stream(asking, new AbortController().signal)) if (type === "sent") break;
    expect(await (await arrived).left).toBe(true);
  });

  test("without a key asks for nothing and connects to nothing", async () => {
    const { baseUrl } = await start("/v1");
    const { provider } = connect({ vendor, baseUrl, key: undefined });
    await hear(provider, asking);
    expect(server?.requests[0]?.headers.authorization).toBeUndefined();
    expect(server?.requests[0]?.headers["user-agent"]).toMatch(/^Lares\/\d+\.\d+\.\d+$/);
  });

  test("that is stopped before it begins sends nothing", async () => {
    const { baseUrl } = await start("/v1");
    const { provider } = connect({ vendor, baseUrl, key: undefined });
    const heard = await hear(provider, asking, { signal: AbortSignal.abort() });
    expect([heard.finish, server?.requests.length]).toEqual(["aborted", 0]);
  });
});
