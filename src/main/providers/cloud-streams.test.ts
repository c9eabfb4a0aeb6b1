import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { aRequest, connect, person } from "../../../tests/support/vendors/connect.ts";
import { hear, saidReasoning, saidText } from "../../../tests/support/vendors/hear.ts";
import type { Reply } from "../../../tests/support/vendors/script.ts";
import { type StandIn, startStandIn } from "../../../tests/support/vendors/stand-in.ts";
import { standInOf } from "../../../tests/support/vendors/vendors.ts";

const vendor = standInOf("custom (as OpenAI)");
let server: StandIn | undefined;
afterEach(() => server?.close());

interface Row {
  readonly id: string;
  readonly why: string;
  readonly input: { readonly body: string; readonly type?: string; readonly then?: Reply["then"] };
  readonly expected: {
    readonly text: string;
    readonly reasoning?: string;
    readonly calls?: readonly string[];
    readonly finish?: string;
    readonly code?: string;
  };
}

const rows: readonly Row[] = JSON.parse(readFileSync("tests/hostile/cloud-streams.json", "utf8"));

/** Asks a server that answers with these bytes, in pieces of so many. */
async function answered({ body, type = "text/event-stream", then = "end" }: Row["input"], size: number) {
  const bytes = Buffer.from(body);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
  server = await startStandIn({
    wire: vendor.wire,
    lenient: true,
    script: [{ status: 200, headers: { "content-type": type }, body: pieces, then }],
  });
  const { provider } = connect({ vendor, baseUrl: server.baseUrl, key: undefined });
  const heard = await hear(provider, aRequest([person("2 + 2?")]));
  await server.close();
  return {
    text: saidText(heard),
    reasoning: saidReasoning(heard),
    calls: heard.calls.filter(({ ended }) => ended).map((call) => call.arguments),
    end: heard.error?.code ?? heard.finish,
    left: heard.events.filter(({ type }) => type === "sent").length,
  };
}

describe("a stream of events", () => {
  for (const { id, why, input, expected } of rows) {
    test(`${id}: ${why}`, async () => {
      for (const size of [100_000, 7]) {
        expect(await answered(input, size)).toEqual({
          ...{ text: expected.text, reasoning: expected.reasoning ?? "", calls: expected.calls ?? [] },
          ...{ end: expected.code ?? expected.finish, left: 1 },
        });
      }
    });
  }
});
