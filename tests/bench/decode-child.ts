/**
 * Forked like the engine child. Decodes the same tokens in turns through Lares' own chat code and through the library
 * alone, and sends the speeds; the text of Lares' turns goes to the parent in batches, as it does in the app.
 */
import type { Token } from "node-llama-cpp";
import { answer } from "../../src/main/engine/child/chat.ts";
import { createEventBatch } from "../../src/main/engine/child/event-batch.ts";
import { type Engine, loadEngine } from "../../src/main/engine/child/load.ts";
import { createThreadGuard } from "../../src/main/engine/child/thread-guard.ts";
import type { ModelEvent } from "../../src/shared/inference.ts";
import { asks } from "../support/engine-child.ts";
import type { DecodeResult } from "./decode.ts";

const [path = "", tokenText = "", roundText = ""] = process.argv.slice(2);
const tokens = Number(tokenText);
const never = new AbortController().signal;
const request = asks("Write a long story about the keeper of an old lighthouse.", { maxOutputTokens: tokens });

/** Tokens a second from the first words on, and how many tokens the prompt has. */
async function throughLares(engine: Engine) {
  const before = engine.sequence.tokenMeter.getState();
  const written = () => engine.sequence.tokenMeter.diff(before).usedOutputTokens;
  const batch = createEventBatch((events) => process.send?.({ type: "events", events }));
  let first: { at: number; tokens: number } | undefined;
  let promptTokens = 0;
  let finish = "";
  const emit = (event: ModelEvent) => {
    if (event.type === "text") first ??= { at: performance.now(), tokens: written() };
    if (event.type === "usage") promptTokens = event.usage.inputTokens;
    if (event.type === "finish") finish = event.reason;
    batch.push(event);
  };
  await answer(engine, request, emit, never).finally(batch.flush);
  const ms = performance.now() - (first?.at ?? 0);
  if (finish !== "length" || written() !== tokens)
    throw new Error(`${tokens} tokens were to be written, and ${written()} were (${finish}).`);
  return { promptTokens, speed: ((tokens - (first?.tokens ?? 0)) * 1000) / ms };
}

/** The same with nothing but the library's loop. */
async function bare({ sequence }: Engine, prompt: readonly Token[]): Promise<number> {
  await sequence.adaptStateToTokens(prompt.slice(0, -1), false);
  let written = 0;
  let first = 0;
  for await (const _ of sequence.evaluate(prompt.slice(sequence.nextTokenIndex), { temperature: 0 })) {
    if (++written === 1) first = performance.now();
    if (written === tokens) break;
  }
  return ((written - 1) * 1000) / (performance.now() - first);
}

const silent = { progress: () => undefined, begun: () => undefined };
let engine = await loadEngine({ path, contextTokens: 2048 }, silent, never);
let { threads } = engine.card;
const { promptTokens } = await throughLares(engine);
const prompt = engine.sequence.contextTokens.slice(0, promptTokens);
let lares: number[] = [];
let library: number[] = [];
const turns = [
  async () => lares.push((await throughLares(engine)).speed),
  async () => library.push(await bare(engine, prompt)),
];
while (lares.length < Number(roundText)) {
  for (const turn of lares.length % 2 === 0 ? turns : turns.toReversed()) await turn();
  if (engine.llama.maxThreads === threads) continue;
  // The guard took threads away from Lares' turn, for something else needs the cores: begin anew, both with what is left.
  threads = engine.llama.maxThreads;
  engine = { ...engine, guard: createThreadGuard(engine.llama, { ...engine.card, threads }) };
  lares = [];
  library = [];
}
process.send?.({ type: "result", threads, lares, library } satisfies DecodeResult, () => process.exit(0));
