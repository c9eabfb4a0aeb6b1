import type { Desk, Shell } from "../../shared/bridge.ts";
import { toAppError } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";
import { type LocalServer, listenLocally } from "../net/local-socket.ts";
import { deskVisitor } from "./desk-visitor.ts";

export interface DeskSocketOptions {
  readonly desk: Desk;
  readonly dataFolder: string;
  /** This process has the folder; else the socket there is another one's. */
  readonly isHeld: boolean;
  readonly log: Log;
  /** Resolves when nothing runs. */
  readonly idle: () => Promise<void>;
}

/** The desk of this Lares for others of the same person that come to the same data folder. */
export interface DeskSocket {
  /** There is a page in the browser, and whoever comes in from now on may have an address of it. */
  offerPage(issueAddress: () => string): void;
  /**
   * Lets nobody in any more, and resolves when those who are in have what they asked for. `onWait`: they have not yet.
   */
  leave(onWait: () => void): Promise<void>;
  close(): void;
}

/** How long someone who has what they asked for may take to go. */
const GRACE_MS = 1_000;

/** Opens it. Without a socket Lares works all the same: others wait, as they do for one that does not answer. */
export async function openDeskSocket(options: DeskSocketOptions): Promise<DeskSocket> {
  const { desk, dataFolder, isHeld, log, idle } = options;
  let newWindow: (() => Promise<string>) | undefined;

  function onVisitor(send: (text: string) => void) {
    const shell: Shell = { kind: "terminal", ...(newWindow && { newWindow }) };
    log.info("terminal.opened");
    return deskVisitor({ desk, shell, send, log });
  }

  async function listen(): Promise<LocalServer | undefined> {
    try {
      return await listenLocally(dataFolder, onVisitor);
    } catch (thrown) {
      log.warn("terminal.no-socket", { code: toAppError(thrown).code });
      return undefined;
    }
  }

  const server = isHeld ? await listen() : undefined;

  return {
    offerPage(issueAddress) {
      newWindow = async () => issueAddress();
    },
    leave: async (onWait) => server && leaveSlowly(server, { onWait, idle }),
    close: () => server?.close(),
  };
}

/** Nobody is sent away in the middle of an answer; who only sits there comes back through a Lares of their own. */
async function leaveSlowly(
  server: LocalServer,
  { onWait, idle }: { onWait: () => void; idle: () => Promise<void> },
): Promise<void> {
  server.stopListening();
  if (server.visitors() > 0) onWait();
  while (server.visitors() > 0) {
    await idle();
    const isEmpty = await Promise.race([server.empty().then(() => true), afterMs(GRACE_MS).then(() => false)]);
    if (!isEmpty && (await isIdle(idle))) return server.close();
  }
}

const afterMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Whether nothing runs at this moment. */
const isIdle = (idle: () => Promise<void>): Promise<boolean> =>
  Promise.race([idle().then(() => true), new Promise<boolean>((resolve) => setImmediate(() => resolve(false)))]);
