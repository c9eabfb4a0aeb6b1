import { expect } from "vitest";
import type { PromptMessage } from "../../../src/shared/inference.ts";
import { streamingCases } from "./cases-streaming.ts";
import { toolCases } from "./cases-tools.ts";
import { person, testKey } from "./connect.ts";
import { saidText } from "./hear.ts";
import { answer, chinese, english, png, texts } from "./samples.ts";
import { jsonReply } from "./stand-in.ts";
import { type ConformanceCase, ownId, question, resultOf, withVendor } from "./talk.ts";

const errorCase = (status: number, code: string, message: string): ConformanceCase => ({
  name: `error ${status}`,
  behaves: `tells an error ${status} as ${code}, in the vendor's own words`,
  run: (vendor) =>
    withVendor(vendor, [jsonReply(status, vendor.wire.error({ status, message }))], async ({ ask, ledger }) => {
      const { error, parts } = await ask([question]);
      expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
      expect(parts).toEqual([]);
      expect(ledger()[0]).toMatchObject({ status, outcome: expect.stringMatching(/done|failed/) });
    }),
});

const picture: PromptMessage = {
  role: "user",
  parts: [
    { type: "text", text: "What is on it?" },
    { type: "image", mediaType: "image/png", data: png, name: "red.png" },
  ],
};

const others: readonly ConformanceCase[] = [
  {
    name: "an image",
    behaves: "sends an image in the vendor's own form",
    run: (vendor) =>
      withVendor(vendor, [answer(texts("Red."))], async ({ ask, last }) => {
        expect(saidText(await ask([picture]))).toBe("Red.");
        expect(last().body.toString()).toContain(png);
      }),
  },
  {
    name: "an image it cannot see",
    behaves: "leaves an image out for a model without eyes, and says so in its place",
    run: (vendor) =>
      withVendor(
        vendor,
        [answer(texts("Red."))],
        async ({ ask, last }) => {
          expect(saidText(await ask([picture]))).toBe("Red.");
          expect(last().body.toString()).not.toContain(png);
          expect(last().body.toString()).toMatch(/image[^"]*left out/);
        },
        { vision: false },
      ),
  },
  {
    name: "a history with gaps",
    behaves: "is understood with a history that begins late, and in which answers are missing or empty",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask }) => {
        const call: PromptMessage = {
          role: "assistant",
          parts: [{ type: "tool-call", id: ownId(0), name: "read_file", input: { path: "a.txt" } }],
        };
        const blank: PromptMessage = { role: "assistant", parts: [{ type: "text", text: " \n" }] };
        const early: PromptMessage = { role: "assistant", parts: [{ type: "text", text: "As I said." }] };
        const heard = await ask([early, person("Hi"), person("Hello?"), blank, call, resultOf(0, ""), question]);
        expect(heard.error).toBeUndefined();
        expect(saidText(heard)).toBe(english);
      }),
  },
  {
    name: "an answer goes on",
    behaves: "is understood when an answer that was cut has to go on",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask }) => {
        const half: PromptMessage = { role: "assistant", parts: [{ type: "text", text: "The code is " }] };
        const heard = await ask([question, half]);
        expect(heard.error).toBeUndefined();
        expect(saidText(heard)).toBe(english);
      }),
  },
  {
    name: "the key only in its header",
    behaves: "tells the key in one header and nowhere else",
    applies: ({ keyless }) => !keyless,
    run: (vendor) =>
      withVendor(vendor, [answer(texts(english))], async ({ ask, last, ledger }) => {
        const heard = await ask([question]);
        const { headers, path, body } = last();
        const carriers = Object.entries(headers).filter(([, value]) => String(value).includes(testKey));
        expect(carriers.length).toBe(1);
        expect(JSON.stringify([path, body.toString(), heard, ledger()])).not.toContain(testKey);
      }),
  },
  {
    name: "what was sent, to the byte",
    behaves: "tells the very bytes of the body before any answer, and the ledger has their number",
    run: (vendor) =>
      withVendor(vendor, [answer(texts(chinese))], async ({ ask, last, ledger }) => {
        const { events } = await ask([person(chinese)]);
        const [first] = events.filter(({ type }) => type !== "progress");
        const { body } = last();
        expect(first).toMatchObject({ type: "sent", body: body.toString() });
        const trip = events.findLast((event) => event.type === "trip")?.trip;
        const [row] = ledger();
        expect(row).toMatchObject({
          bodyOut: body.length,
          outcome: "done",
          status: 200,
          turnId: "turn1",
          chatId: "chat1",
        });
        expect(trip).toMatchObject({ ledgerId: row?.id, bodyOut: body.length, bodyIn: row?.bodyIn });
      }),
  },
  {
    name: "list of models",
    behaves: "lists what the vendor offers",
    run: (vendor) =>
      withVendor(vendor, [], async ({ models, last }) => {
        expect((await models()).map(({ id }) => id)).toEqual(["stand-in-1"]);
        expect(last().method).toBe("GET");
      }),
  },
  errorCase(401, "key-refused", "Incorrect API key provided: sk-…4711."),
  errorCase(429, "rate-limited", "Rate limit reached for requests per minute."),
  errorCase(500, "provider-failed", "The server had an error while processing your request."),
];

/** Every case that every vendor has to pass. */
export const conformanceCases: readonly ConformanceCase[] = [...streamingCases, ...toolCases, ...others];
