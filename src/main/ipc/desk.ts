import type { Desk, DeskClient, Shell } from "../../shared/bridge.ts";
import { AppError, toAppError } from "../../shared/errors.ts";
import type { StreamBatch, StreamEvent } from "../../shared/stream.ts";
import { isPrivate } from "../lib/chat-id.ts";
import type { Log } from "../lib/log.ts";
import { appHandlers } from "./app-handlers.ts";
import type { Backend, DeskStore } from "./backend.ts";
import { chatHandlers } from "./chat-handlers.ts";
import type { Client } from "./client.ts";
import { cloudHandlers } from "./cloud-handlers.ts";
import { createDeletedChats } from "./deleted-chats.ts";
import type { DeskParts } from "./desk-parts.ts";
import { createLive, type News } from "./live.ts";
import { modelHandlers } from "./model-handlers.ts";
import { createRateLimit } from "./rate.ts";
import { createCallServer } from "./serve.ts";
import { createStreamSender } from "./stream.ts";
import { turnHandlers } from "./turn-handlers.ts";
import { createUnbornChats } from "./unborn-chats.ts";

interface DeskOptions {
  readonly backend: Backend;
  readonly news: News;
  readonly log: Log;
  readonly monotonicMs: () => number;
}

/** The desk as the app holds it. */
export interface AppDesk extends Desk {
  /** Tells every page something that no turn told: a download, a change of the settings. */
  tell(event: StreamEvent): void;
  /** To be called when a chat's first message was accepted, before its turn begins: the model that was chosen for it. */
  born(chatId: string): void;
  close(): void;
}

/** What every window and every browser page talks to. Chats that were deleted before this start are removed for good. */
export function createDesk({ backend, news, log, monotonicMs }: DeskOptions): AppDesk {
  const { now, stores } = backend;
  const storeOf = (chatId: string): DeskStore => (isPrivate(chatId) ? stores.private : stores.kept);
  const live = createLive({ news, storeOf });
  const deleted = createDeletedChats({ stores: [stores.kept, stores.private], now, log });
  const unborn = createUnbornChats(now, (id) => storeOf(id).isMarked("chat", id));
  const parts: DeskParts = {
    backend,
    live,
    deleted,
    unborn,
    storeOf,
    ...findersIn(stores),
  };
  const handlers = {
    ...chatHandlers(parts),
    ...turnHandlers(parts),
    ...modelHandlers(backend.models),
    ...cloudHandlers(parts),
    ...appHandlers(parts),
  };
  const answer = createCallServer(handlers, log, backend.redact);
  const clients = new Set<DeskClient>();
  const startedAt = now();
  setImmediate(() => void deleted.purge(startedAt)).unref();

  function connect(shell: Shell, post: (batch: StreamBatch) => void): DeskClient {
    const sender = createStreamSender((batch) => {
      try {
        post(batch);
      } catch (thrown) {
        log.warn("page not reached", { code: toAppError(thrown).code });
        connected.close();
      }
    });
    const client: Client = { shell, sender, mayCall: createRateLimit(monotonicMs) };
    const connected: DeskClient = {
      call: (name, input) => answer(name, input, client),
      close(): void {
        live.disconnect(sender);
        sender.close();
        clients.delete(connected);
      },
    };
    live.connect(sender);
    clients.add(connected);
    return connected;
  }

  return {
    connect,
    tell: live.tell,
    born(chatId): void {
      const model = unborn.take(chatId);
      if (model !== undefined) storeOf(chatId).setSessionModel(chatId, model);
    },
    close(): void {
      deleted.close();
      for (const client of clients) client.close();
    },
  };
}

/** Turns and messages are named without their chat: whichever store has one. */
function findersIn(stores: Backend["stores"]): Pick<DeskParts, "storeOfTurn" | "storeOfInbound"> {
  const find = (what: string, id: string, has: (store: DeskStore) => boolean): DeskStore => {
    const store = [stores.kept, stores.private].find(has);
    if (!store) throw new AppError("not-found", `There is no ${what} ${id}. Its chat may have been deleted.`);
    return store;
  };
  return {
    storeOfTurn: (id) => find("answer", id, (store) => store.turn(id) !== undefined),
    storeOfInbound: (id) => find("message", id, (store) => store.inbound(id) !== undefined),
  };
}
