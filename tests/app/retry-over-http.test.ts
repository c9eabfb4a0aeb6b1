import { expect, onTestFinished, test } from "vitest";
import { anAgent, modelsOf } from "../support/agent.ts";
import { chatCompletions } from "../support/vendors/chat-completions.ts";
import { connect, testKey } from "../support/vendors/connect.ts";
import { answer, texts } from "../support/vendors/samples.ts";
import type { Answer, Reply } from "../support/vendors/script.ts";
import { startStandIn, streamReply } from "../support/vendors/stand-in.ts";

const wire = chatCompletions({ reasoningBack: "refused" });
const paris = answer(texts("The capital of France is Paris."));
const [begin = ""] = wire.events(answer([{ text: "The capital of " }]));
const half =
  wire
    .events(answer([{ text: "The capital of " }]))
    .slice(0, 2)
    .join("") || begin;
const refusal = (status: number, headers: Reply["headers"] = {}): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(wire.error({ status, message: "No." })),
});

/** A real provider over real HTTP, asked by the real loop. */
async function asked(...script: (Answer | Reply)[]) {
  const server = await startStandIn({ wire, script, key: testKey });
  onTestFinished(() => server.close());
  const { provider } = connect({ vendor: { vendor: "custom", model: "stand-in-1" }, baseUrl: server.baseUrl });
  const agent = anAgent({ models: modelsOf(provider), settings: { idleSeconds: 0.2, requestSeconds: 2 } });
  const ended = await agent.say("What is the capital of France?");
  const requests = agent.store.requests(ended.turnId);
  const waits = agent.store.trace(ended.turnId).flatMap(({ notes = [] }) => notes.filter((note) => /^try /.test(note)));
  return { server, agent, ended, requests, waits };
}

test.each<[string, Reply, string]>([
  ["seconds", refusal(429, { "retry-after": "7" }), "try 2 of 4 in 7.0 s: rate-limited"],
  ["milliseconds", refusal(429, { "retry-after-ms": "1500" }), "try 2 of 4 in 1.5 s: rate-limited"],
  ["nothing", refusal(529), "try 2 of 4 in 1.0 s: overloaded"],
  ["a time that is over", refusal(503, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }), "in 1.0 s: overloaded"],
  ["nonsense", refusal(503, { "retry-after": "soon" }), "try 2 of 4 in 1.0 s: overloaded"],
])("one that wants to be left alone for %s is asked again, with the same body", async (_what, reply, wait) => {
  const { server, ended, requests, waits } = await asked(reply, paris);
  expect(ended).toMatchObject({ stopReason: "completed", text: "The capital of France is Paris." });
  expect(waits).toEqual([expect.stringContaining(wait)]);
  const [first, second] = server.requests.map(({ body }) => body.toString());
  expect(second).toBe(first);
  const trips = requests.map(({ trip }) => [trip?.bodyOut, trip?.ledgerId]);
  expect(trips).toEqual(server.requests.map(({ body }, at) => [body.length, at + 1]));
});

test("a date to come is waited for, and one that is too far says so and is not", async () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
  const near = await asked(refusal(429, { "retry-after": inSeconds(20) }), paris);
  expect(near.waits).toEqual([expect.stringMatching(/in (19|20)\.\d s: rate-limited$/)]);
  const far = await asked(refusal(429, { "retry-after": inSeconds(3600) }), paris);
  expect(far.ended.error).toMatchObject({ code: "rate-limited", message: expect.stringMatching(/wait (59|60) min/) });
  expect(far.server.requests).toHaveLength(1);
});

test("one that breaks the connection before a word is asked again", async () => {
  const { ended, requests } = await asked(streamReply(": hello\n\n", "cut"), paris);
  expect(ended.text).toBe("The capital of France is Paris.");
  expect(requests.map(({ error }) => error?.code)).toEqual(["provider-failed", undefined]);
});

test("one that falls silent is asked to go on from its last words, and nothing is doubled", async () => {
  const { server, ended, agent } = await asked(streamReply(half, "hang"), paris);
  expect(ended.text).toBe("The capital of France is Paris.");
  expect(agent.rows()).toHaveLength(2);
  expect(await server.requests[0]?.left).toBe(true);
  const { messages } = JSON.parse(server.requests[1]?.body.toString() ?? "{}");
  expect(messages.slice(-2)).toEqual([
    expect.objectContaining({ role: "assistant", content: "The capital of " }),
    expect.objectContaining({ role: "user", content: expect.stringContaining("Continue exactly after") }),
  ]);
});

test.each([400, 401, 402, 403, 413, 422])("a %d is told at once, and never asked again", async (status) => {
  const { server, ended, waits } = await asked(refusal(status), paris);
  expect([ended.stopReason, server.requests.length, waits]).toEqual(["error", 1, []]);
});
