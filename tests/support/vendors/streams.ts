import type { Door } from "../../../src/main/net/errand.ts";
import { answer, calling, texts, thoughts } from "./samples.ts";
import type { Answer } from "./script.ts";
import { standInOf, type Vendor } from "./vendors.ts";

/** Streams of all formats, and a door that gives them out cut as a test wants. */

const input = { path: "目录/a.txt", lines: 3 };

/** Short, because each is cut at every byte. */
export const recorded: Readonly<Record<string, (vendor: Vendor) => Answer>> = {
  text: () => answer([{ text: "It is" }, { text: " 47" }, { text: "11." }]),
  "Chinese and emoji": () => answer(texts("四千 👩‍👧 🇨🇳", 3)),
  "text after reasoning": () => answer([...thoughts("I think.", 5), { text: "Done." }]),
  "one call in pieces": ({ callId }) => answer(calling(0, callId(0), "read_file", input, 9), "calls"),
  "two calls": ({ callId }) =>
    answer(
      [...calling(0, callId(0), "read_file", { path: "a" }), ...calling(1, callId(1), "tool_1", { path: "b" })],
      "calls",
    ),
  "words before a call": ({ callId }) =>
    answer([{ text: "I look." }, ...calling(0, callId(0), "read_file", { path: "{}" }, 6)], "calls"),
  "reasoning before a call": ({ callId }) =>
    answer([{ reasoning: "想。" }, ...calling(0, callId(0), "read_file", { path: "a" }, 5)], "calls"),
  "a call without arguments": ({ callId }) => answer(calling(0, callId(0), "tool_2", {}), "calls"),
  "cut by its length": () => answer([{ text: "Once upon" }, { text: " a" }], "length"),
};

/** The bytes of a stream, without what stands in every event and is read by nobody. */
export const bytesOf = (vendor: Vendor, make: (vendor: Vendor) => Answer): Buffer =>
  Buffer.from(
    vendor.wire
      .events(make(vendor))
      .join("")
      .replace(/"id":"(chatcmpl|cmpl)-[^"]*",/g, "")
      .replace(/"(object|created|modelVersion|responseId)":("[^"]*"|\d+),/g, ""),
  );

/** One of each format; of the many that speak OpenAI's chat, the one that tells most. */
export const formats: readonly Vendor[] = ["openai", "anthropic", "google", "mistral", "deepseek"].map(standInOf);

/** A door to nowhere: each answer is made of these pieces, and ends as if the other side had closed, or broke off. */
export function doorOf(pieces: () => readonly Uint8Array[], { breaks = false, type = "text/event-stream" } = {}): Door {
  const trip = { ledgerId: 1, host: "stand-in", place: "this-computer", bodyOut: 2, bodyIn: 0 } as const;
  let left = false;
  const fetch = async () => {
    left = true;
    const rest = [...pieces()];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = rest.shift();
        if (piece) controller.enqueue(piece);
        else if (breaks) controller.error(new TypeError("terminated"));
        else controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": type } });
  };
  return {
    visit: () => ({ fetch, sent: () => (left ? { body: "{}", trip } : undefined) }),
    program: () => Promise.reject(new Error("No program is started here.")),
  };
}
