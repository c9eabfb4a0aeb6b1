import { expect } from "vitest";
import type { FinishReason } from "../../../src/shared/inference.ts";
import { aRequest } from "./connect.ts";
import { hear, saidReasoning, saidText } from "./hear.ts";
import { answer, chinese, english, reasons, texts, thoughts, tokens } from "./samples.ts";
import type { Finish } from "./script.ts";
import { streamReply } from "./stand-in.ts";
import { type ConformanceCase, question, tellsThoughts, thinking, withVendor } from "./talk.ts";

const finishCase = (name: string, finish: Finish, reasons: readonly FinishReason[]): ConformanceCase => ({
  name: `finish: ${name}`,
  behaves: `says how an answer ended: ${name}`,
  applies: ({ noFilter }) => !noFilter || !["filter", "refusal"].includes(finish),
  run: (vendor) =>
    withVendor(vendor, [answer(texts("Half an ans"), finish)], async ({ ask }) => {
      const heard = await ask([question]);
      expect(heard.error).toBeUndefined();
      expect(reasons).toContain(heard.finish);
    }),
});

/** What every vendor's stream has to give. */
export const streamingCases: readonly ConformanceCase[] = [
  {
    name: "text",
    behaves: "streams text piece by piece",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask }) => {
        const heard = await ask([question]);
        expect(heard.error).toBeUndefined();
        expect(saidText(heard)).toBe(english);
        expect(heard.events.filter(({ type }) => type === "text").length).toBeGreaterThan(5);
        expect(heard.finish).toBe("stop");
      }),
  },
  {
    name: "Chinese and emoji, cut inside characters",
    behaves: "joins characters that came in two packets",
    run: (vendor) => {
      const bytes = Buffer.from(vendor.wire.events(answer(texts(chinese))).join(""));
      const packets = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) =>
        bytes.subarray(at * 7, at * 7 + 7),
      );
      return withVendor(vendor, [streamReply(packets)], async ({ ask }) => {
        expect(saidText(await ask([question]))).toBe(chinese);
      });
    },
  },
  {
    name: "reasoning",
    behaves: "keeps what a model thinks apart from what it says",
    applies: tellsThoughts,
    run: (vendor) =>
      withVendor(
        vendor,
        [answer([...thoughts(reasons), ...texts(english)])],
        async ({ ask }) => {
          const heard = await ask([question]);
          expect(heard.error).toBeUndefined();
          expect([saidReasoning(heard), saidText(heard)]).toEqual([reasons, english]);
        },
        thinking,
      ),
  },
  {
    name: "usage, with what was cached",
    behaves: "tells how many tokens were read, reused and written",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask }) => {
        const { usage } = await ask([question]);
        const { input: inputTokens, cached: reusedTokens, output: outputTokens } = tokens;
        expect(usage).toMatchObject({ inputTokens, reusedTokens, outputTokens });
      }),
  },
  finishCase("stop", "stop", ["stop"]),
  finishCase("length", "length", ["length"]),
  finishCase("content filter", "filter", ["content_filter", "refusal"]),
  finishCase("refusal", "refusal", ["refusal", "content_filter"]),
  {
    name: "abort in the middle",
    behaves: "keeps what came when it is stopped, and lets go of the connection",
    run: (vendor) => {
      const events = vendor.wire.events(answer(texts(english))).map((text) => Buffer.from(text));
      return withVendor(vendor, [streamReply(events.slice(0, -3), "hang")], async ({ provider, server }) => {
        const stop = new AbortController();
        const onEvent = ({ type }: { type: string }) => type === "text" && stop.abort();
        const heard = await hear(provider, aRequest([question]), { signal: stop.signal, onEvent });
        expect(heard.error?.code ?? heard.finish).toBe("aborted");
        expect(english.startsWith(saidText(heard))).toBe(true);
        expect(await server.requests[0]?.left).toBe(true);
      });
    },
  },
];
