import { join } from "node:path";
import { engineEntry } from "../../src/main/engine/entry.ts";
import type { Engine } from "../../src/main/engine/keeper.ts";
import type { LoadOptions } from "../../src/main/engine/protocol.ts";
import type { StateStoreOptions } from "../../src/main/engine/state-store.ts";
import type { Log, LogFields } from "../../src/main/lib/log.ts";
import type { ModelRequest } from "../../src/shared/inference.ts";
import type { Usage } from "../../src/shared/message.ts";
import { aRequest, asks, says } from "./engine-child.ts";
import { aMemory, collect, fakeEngine, noStop, temporaryFolder } from "./fake-engine.ts";

/** Long enough for its state to be kept. With a byte level vocabulary a letter is a token. */
export const longText = (of: string): string => `${of} `.repeat(Math.ceil(600 / (of.length + 1)));

type States = Omit<StateStoreOptions, "log">;

export interface Said {
  readonly text: string;
  readonly usage: Usage;
}

/** Engines, one after the other, over one folder of states: each is what a start of the app has. */
export function aStateFolder({ folder = join(temporaryFolder(), "state"), ...more }: Partial<States> = {}) {
  const memory = aMemory();
  const { log, lines, heard } = aHeardLog();
  const start = (options: Partial<Parameters<typeof fakeEngine>[0]> = {}) =>
    fakeEngine({ entry: engineEntry(), memory, log, states: { folder, ...more }, ...options });
  return { folder, start, lines, heard };
}

/** A log that can be waited for. */
function aHeardLog() {
  const lines: { event: string; fields: LogFields }[] = [];
  const waiting = new Map<string, (fields: LogFields) => void>();
  const keep = (event: string, fields: LogFields = {}) => {
    lines.push({ event, fields });
    waiting.get(event)?.(fields);
  };
  const log: Log = { info: keep, warn: keep, error: keep };
  /** Resolves with the next line of this event. */
  const heard = (event: string) => new Promise<LogFields>((resolve) => waiting.set(event, resolve));
  return { log, lines, heard };
}

/** One whole answer. */
export async function ask(
  engine: Engine,
  model: LoadOptions,
  chatId: string,
  messages: ModelRequest["messages"],
): Promise<Said> {
  const request = aRequest({ sessionId: chatId, messages, maxOutputTokens: 12 });
  const events = await collect(engine.chat(request, noStop(), model));
  const usage = events.find((event) => event.type === "usage")?.usage;
  if (!usage) throw new Error("The model gave no answer.");
  return { text: events.map((event) => (event.type === "text" ? event.text : "")).join(""), usage };
}

/** The conversation that begins with this, and goes on after this answer with another question. */
export const begin = (text: string): ModelRequest["messages"] => asks(text).messages;
export const goOn = (messages: ModelRequest["messages"], answer: string, text: string): ModelRequest["messages"] => [
  ...messages,
  says("assistant", answer),
  says("user", text),
];
