// What the built main process gets for `electron`: the calls it makes, joined to the test that forked it, which has the
// pages (window.ts). What the real one does by itself (the order of quitting, the events of a window) is done here.
import { EventEmitter } from "node:events";
import { BrowserWindow, windows } from "./browser-window.ts";
import { parent, serve } from "./parent.ts";
import { session, sessions } from "./session.ts";

export { BrowserWindow, session };

class Application extends EventEmitter {
  readonly isPackaged = true;
  readonly paths: Record<string, string> = {};
  sandboxed = false;
  readonly requestSingleInstanceLock = (): boolean => process.env.STAND_IN_SECOND !== "yes";
  readonly enableSandbox = (): void => {
    this.sandboxed = true;
  };
  readonly setPath = (name: string, path: string): void => {
    this.paths[name] = path;
  };
  readonly whenReady = async (): Promise<void> => undefined;
  readonly getAppPath = (): string => process.env.STAND_IN_APP ?? process.cwd();
  readonly getLocale = (): string => process.env.STAND_IN_LOCALE ?? "en-US";
  readonly exit = (code = 0): void => process.exit(code);
  readonly quit = (): void => {
    if (prevented(this, "before-quit")) return;
    for (const window of [...windows.values()]) window.close();
    this.emit("will-quit");
    process.exit(0);
  };
}

export const app = new Application();
BrowserWindow.onCreated = (contents) => void app.emit("web-contents-created", {}, contents);
BrowserWindow.onLastClosed = () => void app.emit("window-all-closed");

let schemes: unknown;
export const protocol = {
  registerSchemesAsPrivileged: (list: unknown): void => {
    schemes = list;
  },
};

type Handler = (event: unknown, ...values: unknown[]) => unknown;
const handlers = new Map<string, Handler>();
export const ipcMain = { handle: (channel: string, handler: Handler): void => void handlers.set(channel, handler) };

const ask = (kind: string) => (window: unknown, options: unknown) => parent.ask("dialog", kind, options ?? window);
export const dialog = {
  showMessageBox: ask("message"),
  showOpenDialog: ask("open"),
  showSaveDialog: ask("save"),
  showErrorBox: (title: string, text: string): void => void process.stderr.write(`${title}\n${text}\n`),
};

export const shell = {
  openExternal: async (url: string): Promise<void> => void (await parent.ask("told", "openExternal", url)),
  openPath: async (path: string): Promise<string> => {
    await parent.ask("told", "openPath", path);
    return "";
  },
};

/** As on a desktop without a keyring: nothing may be encrypted with it. */
export const safeStorage = {
  isEncryptionAvailable: () => false,
  getSelectedStorageBackend: () => "basic_text",
  encryptString: (): Buffer => refuseToEncrypt(),
  decryptString: (): string => refuseToEncrypt(),
  encryptStringAsync: async (): Promise<Buffer> => refuseToEncrypt(),
  decryptStringAsync: async (): Promise<{ result: string }> => refuseToEncrypt(),
};
const refuseToEncrypt = (): never => {
  throw new Error("there is no keyring here");
};

export const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1280, height: 800 } }] };
export const nativeImage = { createFromPath: (path: string) => ({ path }) };

interface Item {
  readonly label?: string;
  readonly role?: string;
  readonly click?: () => void;
  readonly submenu?: readonly Item[];
}

const menus: { application: readonly Item[]; tray: readonly Item[] } = { application: [], tray: [] };
export const Menu = {
  buildFromTemplate: (items: readonly Item[]) => items,
  setApplicationMenu: (items: readonly Item[]): void => {
    menus.application = items;
  },
};

export class Tray extends EventEmitter {
  readonly setToolTip = (): void => undefined;
  readonly setContextMenu = (items: readonly Item[]): void => {
    menus.tray = items;
  };
}

function prevented(source: EventEmitter, event: string, details: object = {}): boolean {
  let answer = false;
  const preventDefault = (): void => {
    answer = true;
  };
  source.emit(event, { ...details, preventDefault }, ...Array.from({ length: 5 }, () => () => undefined));
  return answer;
}

const labels = (items: readonly Item[]): (string | undefined)[] =>
  items.flatMap(({ label, submenu = [] }) => [...(label ? [label] : []), ...labels(submenu)]);

function find(items: readonly Item[], label: string): Item | undefined {
  for (const item of items) {
    const found = item.label === label && !item.submenu ? item : find(item.submenu ?? [], label);
    if (found) return found;
  }
  return undefined;
}

serve({
  invoke(id: number, frame: { url: string; isMain: boolean } | null, channel: string, values: unknown[]) {
    const contents = windows.get(id)?.webContents;
    if (!contents) throw new Error(`there is no window ${id}`);
    return handlers.get(channel)?.({ sender: contents, senderFrame: contents.frameOf(frame), frameId: 0 }, ...values);
  },
  menus: () => ({ application: labels(menus.application), tray: labels(menus.tray) }),
  click: (label: string) => (find(menus.application, label) ?? find(menus.tray, label))?.click?.(),
  emit: (event: string, ...values: unknown[]) => void app.emit(event, {}, ...values),
  quit: () => void setImmediate(app.quit), // the answer goes out first
  preventsOnApp: (event: string) => prevented(app, event),
  preventsOnWindow: (id: number, event: string, details: object) =>
    prevented(windows.get(id)?.webContents ?? new EventEmitter(), event, details),
  preventsOnSession: (event: string) => [...sessions.values()].every((one) => prevented(one, event)),
  report: () => ({
    sandboxed: app.sandboxed,
    schemes,
    userData: app.paths.userData,
    windows: [...windows].map(([id, { options, bounds }]) => ({ id, preferences: options.webPreferences, bounds })),
  }),
});
