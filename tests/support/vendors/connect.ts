import { createStore } from "../../../src/main/db/store.ts";
import { type Log, silentLog } from "../../../src/main/lib/log.ts";
import { createDoor } from "../../../src/main/net/door.ts";
import type { Door } from "../../../src/main/net/errand.ts";
import { createCloudProvider, offeredModels } from "../../../src/main/providers/cloud.ts";
import type { CloudConnection, CloudPreset } from "../../../src/shared/cloud.ts";
import type { ModelRequest, PromptMessage, ToolSpec } from "../../../src/shared/inference.ts";
import type { Vendor } from "./vendors.ts";

export const testKey = "sk-canary-4711-do-not-tell";

export interface ConnectOptions {
  readonly vendor: Pick<Vendor, "vendor" | "model" | "keyless">;
  readonly baseUrl: string;
  readonly preset?: Partial<CloudPreset>;
  readonly key?: string | undefined;
  readonly log?: Log;
  /** Another door than the real one: for answers that come from no socket. */
  readonly door?: Door;
}

/** A real provider through the real door with a real ledger, to whatever answers at an address of this computer. */
export function connect({ vendor, baseUrl, preset, log = silentLog, ...rest }: ConnectOptions) {
  const store = createStore(":memory:");
  const ledger = {
    open: store.openLedgerRow,
    close: ({ id }: { id: number }, end: Parameters<typeof store.closeLedgerRow>[1]) => store.closeLedgerRow(id, end),
  };
  const door = rest.door ?? createDoor({ ledger, isLocalMode: () => false, log });
  const connection: CloudConnection = {
    ...{ id: "c1", vendor: vendor.vendor, name: "Stand-in" },
    ...{ baseUrl, place: "this-computer" },
  };
  const key = "key" in rest ? rest.key : vendor.keyless ? undefined : testKey;
  const link = { connection, key: async () => key, door };
  const whole: CloudPreset = {
    ...{ id: "p1", name: "Stand-in model", connectionId: "c1", model: vendor.model },
    ...{ window: 128_000, maxOutputTokens: 8_192, vision: true, tools: true },
    ...preset,
  };
  return {
    store,
    provider: createCloudProvider({ ...link, preset: whole, log }),
    models: (purpose: "model-list" | "key-test" = "model-list") => offeredModels({ ...link, purpose }),
    ledger: () => store.ledgerRows({ limit: 100 }),
  };
}

/** Twelve tools, as Lares would declare them. */
export const twelveTools: readonly ToolSpec[] = Array.from({ length: 12 }, (_, at) => ({
  name: at === 0 ? "read_file" : `tool_${at}`,
  description: `Does the thing number ${at}.`,
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", description: "Where it is." },
      lines: { type: "integer", minimum: 1 },
      kind: { type: "string", enum: ["a", "b"] },
    },
    required: ["path"],
    additionalProperties: false,
  },
}));

export const person = (text: string): PromptMessage => ({ role: "user", parts: [{ type: "text", text }] });
const system: PromptMessage = { role: "system", parts: [{ type: "text", text: "You are Lares." }] };

export const aRequest = (messages: readonly PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  ...{ sessionId: "chat1", turnId: "turn1", messages: [system, ...messages], tools: twelveTools },
  ...{ toolChoice: "auto", maxOutputTokens: 4_096, sampling: { temperature: 0.6 } },
  ...more,
});
