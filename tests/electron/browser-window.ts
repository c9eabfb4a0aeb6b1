import { EventEmitter } from "node:events";
import { parent, serve, tell } from "./parent.ts";

interface Frame {
  readonly url: string;
  readonly origin: string;
  readonly parent: Frame | null;
}

interface Options {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly webPreferences: { readonly preload: string; readonly partition: string };
}

const frame = (url: string, above: Frame | null): Frame => ({ url, origin: originOf(url), parent: above });

function originOf(url: string): string {
  if (!URL.canParse(url)) return "null";
  const { protocol, host } = new URL(url);
  return host === "" ? "null" : `${protocol}//${host}`;
}

class Contents extends EventEmitter {
  readonly id: number;
  mainFrame = frame("", null);
  openHandler: (details: { url: string }) => { action: string } = () => ({ action: "allow" });
  gone = false;

  constructor(id: number) {
    super();
    this.id = id;
  }

  /** The frame that a call came from; null for one that is gone. The main one has the address it says it has. */
  frameOf(from: { url: string; isMain: boolean } | null): Frame | null {
    if (from === null) return null;
    if (!from.isMain) return frame(from.url, this.mainFrame);
    if (from.url !== this.mainFrame.url) this.mainFrame = frame(from.url, null);
    return this.mainFrame;
  }

  navigated(url: string): void {
    this.mainFrame = frame(url, null);
    this.emit("did-navigate", {}, url);
  }

  readonly isDestroyed = (): boolean => this.gone;
  readonly loadURL = async (url: string): Promise<void> => void (await parent.ask("load", this.id, url));
  readonly reload = (): void => tell("reload", this.id);
  readonly forcefullyCrashRenderer = (): void => tell("crash", this.id);
  readonly send = (channel: string, ...values: unknown[]): void => tell("send", this.id, channel, values);
  readonly setWindowOpenHandler = (handler: typeof this.openHandler): void => {
    this.openHandler = handler;
  };
}

/** Every window that is open, by the id of its contents. */
export const windows = new Map<number, BrowserWindow>();
let last = 0;

export class BrowserWindow extends EventEmitter {
  static onCreated: (contents: Contents) => void = () => undefined;
  static onLastClosed: () => void = () => undefined;
  static readonly getAllWindows = (): BrowserWindow[] => [...windows.values()];
  static readonly getFocusedWindow = (): BrowserWindow | null => [...windows.values()].at(-1) ?? null;

  readonly options: Options;
  readonly webContents: Contents;
  bounds: { x: number; y: number; width: number; height: number };
  maximized = false;

  constructor(options: Options) {
    super();
    const { x = 40, y = 20, width, height, webPreferences } = options;
    this.options = options;
    this.bounds = { x, y, width, height };
    this.webContents = new Contents(++last);
    windows.set(last, this);
    BrowserWindow.onCreated(this.webContents);
    tell("open", last, webPreferences, { width, height });
    this.webContents.once("did-navigate", () => this.emit("ready-to-show"));
  }

  readonly show = (): void => tell("told", "show", this.webContents.id);
  readonly focus = (): void => undefined;
  readonly restore = (): void => undefined;
  readonly isMinimized = (): boolean => false;
  readonly isDestroyed = (): boolean => this.webContents.gone;
  readonly isMaximized = (): boolean => this.maximized;
  readonly getNormalBounds = () => this.bounds;
  readonly maximize = (): void => {
    this.maximized = true;
  };

  close(): void {
    if (this.webContents.gone) return;
    this.emit("close", { preventDefault: () => undefined });
    this.webContents.gone = true;
    windows.delete(this.webContents.id);
    this.webContents.emit("destroyed");
    this.emit("closed");
    tell("closed", this.webContents.id);
    if (windows.size === 0) BrowserWindow.onLastClosed();
  }
}

serve({
  navigated: (id: number, url: string) => windows.get(id)?.webContents.navigated(url),
  gone: (id: number) => windows.get(id)?.webContents.emit("render-process-gone", {}, { reason: "crashed" }),
  unresponsive: (id: number) => windows.get(id)?.webContents.emit("unresponsive"),
  windowOpen: (id: number, url: string) => windows.get(id)?.webContents.openHandler({ url }).action,
  move: (id: number, bounds: BrowserWindow["bounds"]) => {
    const window = windows.get(id);
    if (window) window.bounds = bounds;
  },
  close: (id: number) => void setImmediate(() => windows.get(id)?.close()), // the answer goes out first
});
