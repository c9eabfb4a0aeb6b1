import { type IpcMainInvokeEvent, ipcMain, type WebContents } from "electron";
import {
  CALL_CHANNEL,
  type Desk,
  type DeskClient,
  type Reply,
  type Shell,
  STREAM_CHANNEL,
} from "../../shared/bridge.ts";
import { AppError, toAppError, toWire } from "../../shared/errors.ts";
import { isPage } from "./lockdown.ts";

/** The windows whose pages may call, by the id of their contents. */
export interface Calls {
  /** Lets the page of a window call: one client of the desk for each time it is loaded. */
  join(contents: WebContents, shell: Shell): void;
}

/**
 * Answers what pages at `page` call over IPC; a call waits until the desk is there. Never rejects: Electron would keep
 * nothing of an error but its message.
 */
export function serveCalls(page: string, desk: Promise<Desk>): Calls {
  const lines = new Map<number, Line>();
  ipcMain.handle(CALL_CHANNEL, async (event, name: unknown, input: unknown): Promise<Reply> => {
    try {
      const line = lines.get(event.sender.id);
      if (!line || !isPage(event.senderFrame, event.sender.mainFrame, page)) throw stranger(event);
      return await (await line.client()).call(name, input);
    } catch (thrown) {
      return { ok: false, error: toWire(toAppError(thrown)) };
    }
  });
  return {
    join(contents, shell) {
      const { id } = contents;
      lines.set(id, openLine(contents, desk, shell));
      contents.once("destroyed", () => lines.delete(id));
    },
  };
}

const stranger = ({ frameId }: IpcMainInvokeEvent) =>
  new AppError("bad-request", `Frame ${frameId} is not the page of a Lares window. Only that page may call.`);

interface Line {
  client(): Promise<DeskClient>;
}

/** One window's connection. A page that is loaded anew is a new client, which begins with its first call. */
function openLine(contents: WebContents, desk: Promise<Desk>, shell: Shell): Line {
  let current: Promise<DeskClient> | undefined;

  const connect = async (): Promise<DeskClient> => {
    const opened = await desk;
    return opened.connect(shell, (batch) => {
      if (!contents.isDestroyed()) contents.send(STREAM_CHANNEL, batch);
    });
  };
  const leave = (): void => {
    const left = current;
    current = undefined;
    left?.then((client) => client.close()).catch(() => undefined); // never connected: nothing to close
  };
  contents.on("did-navigate", leave);
  contents.on("render-process-gone", leave);
  contents.once("destroyed", leave);
  return { client: () => (current ??= connect()) };
}
