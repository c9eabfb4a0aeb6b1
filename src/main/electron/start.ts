import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { app, dialog, Menu, nativeImage, protocol, safeStorage, session, Tray } from "electron";
import { createFileLog } from "../lib/log.ts";
import { serveBundle } from "./bundle.ts";
import { serveCalls } from "./calls.ts";
import { guardApp, guardSession } from "./guard.ts";
import { createSpeech, followSettings, type Speech } from "./language.ts";
import { pageScheme, pageUrl, refusedSwitch, sessionName } from "./lockdown.ts";
import { menuTemplate, trayTemplate } from "./menu.ts";
import { type Assistant, openAssistant } from "./open-assistant.ts";
import { closeBeforeQuit } from "./quit.ts";
import { type SafeStorage, safeStorageOf } from "./safe-storage.ts";
import { createWindows, type Windows } from "./windows.ts";

export interface DesktopOptions {
  /** Electron's own files, and where the window stood, are kept in it too. */
  readonly dataFolder: string;
  /** Opens the assistant, with what the platform has to keep keys; tried again when a person says so. */
  open(safeStorage: SafeStorage): Promise<Assistant>;
}

/** Opens Lares as a desktop application: one instance for each data folder. Returns at once; a failure is shown and ends it. */
export function startElectron(options: DesktopOptions): void {
  const refused = app.isPackaged ? refusedSwitch(process.argv.slice(1)) : undefined;
  if (refused !== undefined) {
    process.stderr.write(`Lares does not start with ${refused}: it would let other programs look into it.\n`);
    app.exit(1);
    return;
  }
  app.setPath("userData", userData(options.dataFolder));
  if (!app.requestSingleInstanceLock()) {
    app.quit(); // the first instance comes to the front instead
    return;
  }
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([{ scheme: pageScheme, privileges: { standard: true, secure: true } }]);
  guardApp(pageAddress());
  app
    .whenReady()
    .then(() => openDesktop(options))
    .catch(giveUp);
}

/** The window is there at once; what its page calls waits until the assistant is open. */
function openDesktop({ dataFolder, open }: DesktopOptions): void {
  const page = pageAddress();
  const built = join(app.getAppPath(), "out");
  const pages = session.fromPartition(sessionName);
  for (const one of [session.defaultSession, pages]) guardSession(one, page);
  pages.protocol.handle(pageScheme, serveBundle(join(built, "renderer")));

  const speech = createSpeech(app.getLocale());
  const assistant = openAssistant(() => open(safeStorageOf(safeStorage, process.platform)), speech);
  const desk = assistant.then((opened) => opened.desk);
  desk.then((opened) => followSettings(opened, speech)).catch(() => undefined); // it was told, and the app quits
  const windows = createWindows({
    page,
    preload: join(built, "preload", "index.cjs"),
    stateFile: join(dataFolder, "window-state.json"),
    calls: serveCalls(page, desk),
    speech,
    log: createFileLog(join(dataFolder, "logs"), Date.now),
  });
  closeBeforeQuit(assistant);
  app.on("second-instance", () => windows.show()); // what it was started with is not looked at
  app.on("activate", () => windows.show());
  app.on("window-all-closed", () => {
    if (process.platform !== "darwin") app.quit();
  });
  setMenus(windows, speech);
  windows.open();
}

/** Electron needs a folder of its own, also where the data folder cannot be written: the window has to open. */
function userData(dataFolder: string): string {
  const folder = join(dataFolder, "electron");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch {
    return mkdtempSync(join(tmpdir(), "lares-window-"));
  }
}

/** The built page; in development the server that electron-vite names. */
function pageAddress(): string {
  const served = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  return served ?? pageUrl;
}

function setMenus(windows: Windows, speech: Speech): void {
  createTray(windows);
  const set = (): void => {
    const place = { say: speech.say, platform: process.platform, developing: !app.isPackaged };
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(menuTemplate(place, { newChat: windows.newChat, newWindow: windows.open })),
    );
    const actions = { show: windows.show, newChat: windows.newChat, quit: () => app.quit() };
    tray?.setContextMenu(Menu.buildFromTemplate(trayTemplate(speech.say, actions)));
  };
  speech.onChange(set);
  set();
}

let tray: Tray | undefined; // one that nobody holds is taken away with the garbage

/** Not every desktop has a place for one. */
function createTray(windows: Windows): void {
  try {
    tray = new Tray(nativeImage.createFromPath(join(app.getAppPath(), "resources", "tray.png")));
  } catch {
    return; // the windows and their menus do all that it does
  }
  tray.setToolTip("Lares");
  tray.on("click", windows.show);
}

function giveUp(thrown: unknown): void {
  const { say } = createSpeech(app.getLocale());
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  dialog.showErrorBox(say("window.cannotShow"), `${reason}\n\n${say("window.useTerminal")}`);
  app.exit(1);
}
