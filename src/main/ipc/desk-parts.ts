import type { Backend, DeskStore } from "./backend.ts";
import type { DeletedChats } from "./deleted-chats.ts";
import type { Live } from "./live.ts";
import type { UnbornChats } from "./unborn-chats.ts";

/** What the handlers work with. */
export interface DeskParts {
  readonly backend: Backend;
  readonly live: Live;
  readonly deleted: DeletedChats;
  readonly unborn: UnbornChats;
  /** The store that a chat lives in. */
  storeOf(chatId: string): DeskStore;
  /** The store that has a turn. Throws not-found. */
  storeOfTurn(turnId: string): DeskStore;
  /** The store that has a message that waits. Throws not-found. */
  storeOfInbound(inboundId: string): DeskStore;
}
