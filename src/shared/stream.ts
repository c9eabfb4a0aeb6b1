import { z } from "zod";
import { CloudOverview } from "./cloud.ts";
import { TurnEvent } from "./events.ts";
import { Goal } from "./goal.ts";
import { HealthReport } from "./health.ts";
import { LedgerRow } from "./network.ts";
import { Settings } from "./settings.ts";
import { Inbound } from "./turn.ts";
import { ChatSummary, EngineState, FetchState, TurnView } from "./views.ts";

/** What a page is told beside the events of turns. */
const DeskEvent = z.discriminatedUnion("type", [
  /** A message is on disk and waits for its turn. */
  z.object({ type: z.literal("accepted"), inbound: Inbound }),
  /** A turn is over: this is what the store has of it, in place of all that was told before. */
  z.object({ type: z.literal("turn.stored"), view: TurnView }),
  /** A chat is new or has changed. */
  z.object({ type: z.literal("chat"), chat: ChatSummary }),
  z.object({ type: z.literal("chat.removed"), chatId: z.string() }),
  /** Another branch is shown: open the chat again. */
  z.object({ type: z.literal("chat.stale"), chatId: z.string() }),
  /** What waits in a chat, all of it. */
  z.object({ type: z.literal("waiting"), chatId: z.string(), waiting: z.array(Inbound).readonly() }),
  z.object({ type: z.literal("fetch"), fetch: FetchState }),
  /** The goal of a chat was changed from outside a turn. */
  z.object({ type: z.literal("chat.goal"), chatId: z.string(), goal: Goal }),
  z.object({ type: z.literal("health"), report: HealthReport }),
  /** A row of the ledger is new or closed. */
  z.object({ type: z.literal("network"), row: LedgerRow }),
  z.object({ type: z.literal("cloud"), cloud: CloudOverview }),
  z.object({ type: z.literal("engine"), engine: EngineState }),
  z.object({ type: z.literal("settings"), settings: Settings }),
  /** Events were left out: read everything again. */
  z.object({ type: z.literal("reset") }),
  /** Told by the page's own bridge when its connection is lost, and when it is back (a reset follows). */
  z.object({ type: z.literal("connection"), up: z.boolean() }),
]);

export const StreamEvent = z.union([TurnEvent, DeskEvent]);
export type StreamEvent = z.infer<typeof StreamEvent>;

/** An event with its number, which grows over the whole life of the app. A merged one has the number of its last piece. */
export interface NumberedEvent {
  readonly n: number;
  readonly event: StreamEvent;
}

/** What crosses at most every 33 ms. `seq` counts the batches of one connection from 1 and is acknowledged. */
export interface StreamBatch {
  readonly seq: number;
  readonly events: readonly NumberedEvent[];
}
