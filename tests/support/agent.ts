import { createLoop, type LoopDeps } from "../../src/main/agent/loop.ts";
import { createRowCache } from "../../src/main/agent/row-cache.ts";
import { createTokenCounts } from "../../src/main/agent/tokens.ts";
import { createStore } from "../../src/main/db/store.ts";
import { silentLog } from "../../src/main/lib/log.ts";
import { createBreakers } from "../../src/main/providers/breaker.ts";
import type { Provider } from "../../src/main/providers/provider.ts";
import type { Tool } from "../../src/main/tools/tool.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import { callsOf, type Message, textOf } from "../../src/shared/message.ts";
import { Settings } from "../../src/shared/settings.ts";
import type { ToolClass } from "../../src/shared/turn.ts";
import { type ScriptStep, scriptedProvider } from "./scripted-provider.ts";

export type Ended = Extract<TurnEvent, { type: "turn.ended" }>;

interface AgentOptions extends Partial<Omit<LoopDeps, "settings">> {
  readonly script?: ReadonlyArray<readonly ScriptStep[]>;
  readonly model?: ReturnType<typeof scriptedProvider>;
  readonly settings?: Partial<Settings>;
  /** Asked anew for every turn, in place of `settings`. */
  readonly settingsOf?: () => Partial<Settings>;
  readonly path?: string;
  /** Its waits between two tries take their time; without it nobody waits. */
  readonly patient?: boolean;
}

/** The real loop over a real store, with a scripted model: what the agent's tests talk to. */
export function anAgent(options: AgentOptions = {}) {
  const { script = [], model = scriptedProvider(script), path = ":memory:", settings = {}, ...more } = options;
  const { settingsOf = () => settings, patient = false, ...rest } = more;
  const wholeStore = createStore(path);
  const store = rest.store ?? wholeStore;
  const events: TurnEvent[] = [];
  const listeners = new Set<(event: TurnEvent) => void>();
  let ids = 0;
  let time = 1_000;
  const loop = createLoop({
    log: silentLog,
    now: () => ++time,
    monotonicMs: () => performance.now(),
    random: () => 0.5,
    breakers: createBreakers(() => performance.now()),
    newId: () => `t${++ids}`,
    settings: () => Settings.parse(settingsOf()),
    tokens: createTokenCounts(),
    rows: createRowCache(store),
    timeZone: "UTC",
    workspace: () => "/workspace",
    tools: [],
    namedFiles: async () => [],
    models: modelsOf(model),
    ...rest,
    store,
    emit: (event) => {
      events.push(event);
      for (const listener of listeners) listener(event);
      if (event.type === "retry" && !patient) loop.retryNow(event.sessionId);
    },
  });

  /** Sends a message and waits for the end of its turn. */
  async function say(text: string, sessionId = "s", id = `m${++ids}`): Promise<Ended> {
    const { promise, resolve } = Promise.withResolvers<Ended>();
    let turnId: string | undefined;
    const listener = (event: TurnEvent) => {
      const takes = event.type === "turn.started" || event.type === "injected";
      if (takes && event.inboundId === id) turnId = event.turnId;
      if (event.type === "turn.ended" && event.turnId === turnId) resolve(event);
    };
    listeners.add(listener);
    loop.accept({ id, channel: "test", sessionId, text });
    const ended = await promise;
    listeners.delete(listener);
    return ended;
  }

  return {
    loop,
    store,
    /** With what only a page does to it; the same one, unless the test brought its own. */
    wholeStore,
    model,
    events,
    say,
    onEvent: (listener: (event: TurnEvent) => void) => listeners.add(listener),
    states: (turnId: string) => store.trace(turnId).map(({ state, outcome }) => `${state} ${outcome}`),
    rows: (sessionId = "s") => store.page(sessionId, { limit: 1000 }).map(brief),
  };
}

export const modelsOf = (provider: Provider): LoopDeps["models"] => ({
  provider: async () => provider,
  fallbacks: () => [],
  list: async () => ["scripted.gguf"],
  check: async (name) => name,
});

/** A row in one line: `user complete: hi`. */
export function brief({ role, status, kind, parts }: Message): string {
  const calls = callsOf(parts).map(({ name, input }) => `${name}(${JSON.stringify(input)})`);
  const results = parts.flatMap((part) =>
    part.type === "tool-result" ? [part.text] : part.type === "error" ? [`!${part.error.code}`] : [],
  );
  const words = [textOf(parts), ...calls, ...results].filter((text) => text !== "").join(" ");
  return `${role}${kind === "chat" ? "" : ` ${kind}`} ${status}: ${words}`;
}

/** A tool that does what a test says. */
export function aTool(name: string, run: Tool["run"], rest: Partial<Tool> = {}): Tool {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: "object", properties: { path: { type: "string" } }, additionalProperties: false },
    class: "read",
    exclusive: false,
    timeoutMs: 2_000,
    resultCap: 16_000,
    run,
    ...rest,
  };
}

export const answers =
  (text: string): Tool["run"] =>
  async () => ({ text, summary: `${text.length} characters` });

/** A tool that notes each of its runs. */
export const noting = (ran: string[], name: string, text: string, toolClass: ToolClass) =>
  aTool(
    name,
    async () => {
      ran.push(name);
      return { text, summary: "" };
    },
    { class: toolClass },
  );
