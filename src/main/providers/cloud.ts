import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { CloudConnection, CloudPreset } from "../../shared/cloud.ts";
import { AppError } from "../../shared/errors.ts";
import type { ModelEvent, ModelInfo, ModelRequest } from "../../shared/inference.ts";
import type { Log } from "../lib/log.ts";
import type { Visit } from "../net/errand.ts";
import { Refused, toCloudError } from "./cloud-errors.ts";
import { callOptions, languageModel } from "./cloud-request.ts";
import { headerKey, type Link, openRoad, type Road } from "./cloud-road.ts";
import { createPartReader } from "./cloud-stream.ts";
import { partsOf } from "./cloud-whole.ts";
import type { Provider } from "./provider.ts";
import { estimatedTokens } from "./token-estimate.ts";
import { type Vendor, vendors } from "./vendors.ts";

type Part = LanguageModelV4StreamPart;

/** How often is looked whether a request has left: between that and the answer there may be minutes. */
const LOOK_MS = 20;

export { offeredModels } from "./cloud-models.ts";

export interface CloudOptions extends Link {
  readonly preset: CloudPreset;
  readonly log: Log;
}

/** A vendor's model behind the same road as a local one. Each answer is one visit through the door, and keeps nothing. */
export function createCloudProvider(options: CloudOptions): Provider {
  const info = infoOf(options.connection, options.preset);
  return {
    open: async () => info,
    countTokens: async (texts) => texts.map(estimatedTokens),
    stream: (request, signal) =>
      answer(request, signal, { ...options, info, vendor: vendors[options.connection.vendor] }),
    close: async () => undefined,
  };
}

function infoOf({ id, baseUrl, place }: CloudConnection, preset: CloudPreset): ModelInfo {
  const { name, model, window, maxOutputTokens, vision, tools, temperature, reasoning } = preset;
  const parameters = JSON.stringify([id, baseUrl, model, temperature, reasoning]);
  return {
    key: `cloud:${createHash("sha256").update(parameters).digest("hex").slice(0, 16)}`,
    ...{ name, window, vision, maxOutputTokens: Math.min(maxOutputTokens, Math.floor(window / 2)) },
    toolLevel: tools ? "native" : "named",
    continues: "by-asking",
    local: false,
    to: { host: new URL(baseUrl).host, place },
  };
}

interface Asked extends CloudOptions {
  readonly info: ModelInfo;
  readonly vendor: Vendor;
}

async function* answer(request: ModelRequest, signal: AbortSignal, asked: Asked): AsyncGenerator<ModelEvent> {
  const { connection, preset, vendor, info } = asked;
  const key = await headerKey(asked);
  const own = new AbortController();
  const { sessionId: chatId, turnId } = request;
  const road = openRoad(asked, { purpose: "answer", model: preset.model, chatId, turnId });
  const told = createTeller(road.visit);
  try {
    const model = languageModel(vendor, preset.model, key, road);
    const options = callOptions(request, {
      vendor,
      preset,
      key: info.key,
      signal: AbortSignal.any([signal, own.signal]),
    });
    const parts = ask(model, options, road);
    await untilLeft(road.visit, parts);
    yield* told.sent();
    const end = yield* eventsOf(await parts, asked);
    yield* told.trip();
    yield end;
  } catch (thrown) {
    yield* told.sent();
    yield* told.trip();
    if (signal.aborted) return yield { type: "finish", reason: "aborted" };
    const error = toCloudError(thrown, { name: connection.name, host: road.baseUrl, model: preset.model, key });
    asked.log.warn("cloud.failed", { vendor: vendor.id, code: error.code });
    yield* refusalOr(error);
  } finally {
    own.abort();
  }
}

/** All events but the last one, which is returned: what crossed the wire is known only then. */
async function* eventsOf(
  parts: AsyncIterable<Part>,
  { preset, vendor, info }: Asked,
): AsyncGenerator<ModelEvent, ModelEvent> {
  const tags = vendor.protocol === "compatible" || vendor.protocol === "mistral";
  const reader = createPartReader({ name: preset.name, key: info.key, tags });
  let end: ModelEvent | undefined;
  try {
    for await (const part of parts) {
      for (const event of reader.read(part)) {
        if (event.type === "finish") end = event;
        else yield event;
      }
    }
  } catch (thrown) {
    yield* reader.rest();
    throw thrown;
  }
  if (!end) throw new AppError("provider-failed", `${preset.name} broke off before its answer began.`);
  return end;
}

/** An answer that the vendor's rules forbid is an answer: its own words, and why it ends. */
function* refusalOr(error: AppError): Generator<ModelEvent> {
  if (!(error instanceof Refused)) throw error;
  yield { type: "text", text: error.message };
  yield { type: "finish", reason: "content_filter" };
}

/** The parts of an answer, streamed or, from a server that pays no attention to that, all at once. */
async function ask(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  road: Road,
): Promise<AsyncIterable<Part>> {
  try {
    const { stream } = await model.doStream(options);
    return stream;
  } catch (thrown) {
    if (!road.isWhole()) throw thrown;
    return Readable.from(partsOf(await model.doGenerate(options)));
  }
}

/** Resolves when the request has left this computer, or is answered or failed. */
async function untilLeft(visit: Visit, answered: Promise<unknown>): Promise<void> {
  const settled = answered.then(
    () => true,
    () => true,
  );
  while (visit.sent() === undefined && !(await Promise.race([settled, delay(LOOK_MS, false)])));
}

/** Tells what left, once, and where it went. */
function createTeller(visit: Visit) {
  let isTold = false;
  return {
    *sent(): Generator<ModelEvent> {
      const sent = visit.sent();
      if (sent === undefined || isTold) return;
      isTold = true;
      yield { type: "sent", ...sent };
    },
    *trip(): Generator<ModelEvent> {
      const sent = visit.sent();
      if (sent !== undefined) yield { type: "trip", trip: sent.trip };
    },
  };
}
