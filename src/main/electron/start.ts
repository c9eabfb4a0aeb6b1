import { join } from "node:path";
import { app, BrowserWindow, dialog, protocol, session, type WebContents } from "electron";
import { serveBundle } from "./bundle.ts";
import { lockedPreferences, mayNavigate, pageScheme, pageUrl } from "./lockdown.ts";

/** Opens Lares as a desktop application: one instance, one locked-down window. Returns at once; a failure is shown and ends it. */
export function startElectron(): void {
  if (!app.requestSingleInstanceLock()) {
    app.quit(); // the first instance comes to the front instead
    return;
  }
  app.enableSandbox();
  protocol.registerSchemesAsPrivileged([{ scheme: pageScheme, privileges: { standard: true, secure: true } }]);
  app.on("web-contents-created", (_event, contents) => lockContents(contents));
  app.on("second-instance", showWindow);
  app.on("window-all-closed", () => app.quit());
  app.whenReady().then(openWindow).catch(giveUp);
}

async function openWindow(): Promise<void> {
  const built = join(app.getAppPath(), "out");
  protocol.handle(pageScheme, serveBundle(join(built, "renderer")));
  lockSession();
  const window = new BrowserWindow({
    title: "Lares",
    width: 1200,
    height: 800,
    show: false,
    webPreferences: lockedPreferences(join(built, "preload", "index.cjs")),
  });
  window.once("ready-to-show", () => window.show());
  await window.loadURL(pageAddress());
}

/** The built page; in development the server that electron-vite names. */
function pageAddress(): string {
  const served = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  return served ?? pageUrl;
}

function lockSession(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  session.defaultSession.setDevicePermissionHandler(() => false);
  session.defaultSession.on("will-download", (event) => event.preventDefault());
}

function lockContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: "deny" }));
  contents.on("will-attach-webview", (event) => event.preventDefault());
  contents.on("will-frame-navigate", (event) => {
    if (!mayNavigate(event.url, pageAddress())) event.preventDefault();
  });
}

function showWindow(): void {
  const [window] = BrowserWindow.getAllWindows();
  if (window?.isMinimized()) window.restore();
  window?.focus();
}

function giveUp(thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  dialog.showErrorBox(
    "Lares cannot open its window",
    `${reason}\n\nNothing was lost. "npm start" opens Lares in the terminal.`,
  );
  app.exit(1);
}
