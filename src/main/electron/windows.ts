import { app, BrowserWindow, dialog, screen, type WebContents } from "electron";
import type { Log } from "../lib/log.ts";
import type { Calls } from "./calls.ts";
import type { Speech } from "./language.ts";
import { lockedPreferences } from "./lockdown.ts";
import { createReloads } from "./reloads.ts";
import { createShell } from "./shell.ts";
import { minimumSize, placeWindow, readWindowState, saveWindowState } from "./window-state.ts";

export interface Windows {
  open(): void;
  /** Brings the last used window to the front; opens one if there is none. */
  show(): void;
  newChat(): void;
}

interface WindowsOptions {
  readonly page: string;
  readonly preload: string;
  /** Keeps where the last window stood. */
  readonly stateFile: string;
  readonly calls: Calls;
  readonly speech: Speech;
  readonly log: Log;
}

/** Where the page begins a new chat. */
const newChatPlace = "#new-chat";

/** All windows of Lares. Each is one more page of the same assistant. */
export function createWindows(options: WindowsOptions): Windows {
  const open = (place = ""): void => openWindow(options, open, place);
  const show = (place = ""): void => {
    const window = BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
    if (window) comeForward(window, place && options.page + place);
    else open(place);
  };
  return { open: () => open(), show: () => show(), newChat: () => show(newChatPlace) };
}

function comeForward(window: BrowserWindow, address: string): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
  if (address) load(window.webContents, address);
}

function openWindow(
  { page, preload, stateFile, calls, speech, log }: WindowsOptions,
  open: () => void,
  place: string,
): void {
  const screens = screen.getAllDisplays().map(({ workArea }) => workArea);
  const { maximized, ...bounds } = placeWindow(readWindowState(stateFile, log), screens);
  const window = new BrowserWindow({
    ...bounds,
    title: "Lares",
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
    show: false,
    webPreferences: lockedPreferences(preload),
  });
  if (maximized) window.maximize();
  calls.join(window.webContents, createShell(window, speech, open));
  window.once("ready-to-show", () => window.show());
  window.on("close", () => {
    saveWindowState(stateFile, { ...window.getNormalBounds(), maximized: window.isMaximized() });
  });
  reviveWhenItStops(window, speech);
  load(window.webContents, page + place);
}

/** What is refused or broken off is told by the contents' own events. */
function load(contents: WebContents, address: string): void {
  contents.loadURL(address).catch(() => undefined);
}

/** Loads a page again that crashed or hangs. Turns run in this process and go on meanwhile. */
function reviveWhenItStops(window: BrowserWindow, speech: Speech): void {
  const { webContents: contents } = window;
  const reloads = createReloads(() => performance.now());
  contents.on("unresponsive", () => contents.forcefullyCrashRenderer()); // goes on below
  contents.on("render-process-gone", async (_event, { reason }) => {
    if (reason === "clean-exit" || window.isDestroyed()) return;
    if (!reloads.take()) {
      if (!(await wantsReload(window, speech))) return app.quit();
      reloads.forget();
    }
    if (!window.isDestroyed()) contents.reload();
  });
}

async function wantsReload(window: BrowserWindow, { say }: Speech): Promise<boolean> {
  const { response } = await dialog.showMessageBox(window, {
    type: "error",
    message: say("window.pageStopped"),
    detail: say("window.pageStoppedMore"),
    buttons: [say("window.reload"), say("window.quit")],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}
