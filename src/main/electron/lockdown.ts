import type { WebPreferences } from "electron";

/** Where the built page lives. Its own scheme has none of the rights of file: and no host but this one. */
export const pageScheme = "app";
export const pageUrl = `${pageScheme}://bundle/index.html`;

/** In memory only: what a window keeps for itself is gone when Lares ends. */
export const sessionName = "lares";

/** The only preferences a window of Lares ever has: the page renders hostile text and gets no power for it. */
export function lockedPreferences(preload: string): WebPreferences {
  return {
    preload,
    partition: sessionName,
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false, // its dictionaries would be downloaded past the one door to the network
  };
}

/** Whether a window that shows `page` may go to `target`: to the same scheme and host only, compared whole. */
export function mayNavigate(target: string, page: string): boolean {
  if (!URL.canParse(target)) return false;
  const [to, from] = [new URL(target), new URL(page)];
  return to.protocol === from.protocol && to.host === from.host && to.username === "" && to.password === "";
}

/** Whether the window may load `target` for anything at all: its page's own files, and what the page made itself. */
export function mayLoad(target: string, page: string): boolean {
  if (/^(data|devtools):/.test(target) || target.startsWith(`blob:${originOf(page)}/`)) return true;
  // The development server tells of changes over a WebSocket.
  return mayNavigate(target, page) || (target.startsWith("ws:") && mayNavigate(target.replace(/^ws/, "http"), page));
}

/** Scheme and host as Chromium writes them; `new URL().origin` knows no scheme of ours. */
export function originOf(page: string): string {
  const { protocol, host } = new URL(page);
  return `${protocol}//${host}`;
}

/** All that the page is ever granted: to put plain text on the clipboard when a key was pressed, and to notify. */
export const grantedPermissions: ReadonlySet<string> = new Set(["clipboard-sanitized-write", "notifications"]);

/** What decides who calls, of a frame. */
export interface CallingFrame {
  readonly url: string;
  readonly origin: string;
  readonly parent: unknown;
}

/** Whether a call comes from the page itself: the main frame of its window, of this very origin. A frame that is gone is null. */
export function isPage(frame: CallingFrame | null, mainFrame: CallingFrame, page: string): boolean {
  if (frame === null || frame !== mainFrame || frame.parent !== null) return false;
  return mayNavigate(frame.url, page) && frame.origin === originOf(page);
}

const refusedSwitches =
  /^(?:--?|\/)(inspect(?:-.*)?|debug(?:-.*)?|remote-(?:debugging|allow)-.*|js-flags|load-extension|disable-web-security|allow-file-access-from-files|(?:renderer|utility|gpu)-(?:cmd-prefix|launcher))(?:=|$)/i;

/** The first switch that would let another program look into Lares or take its locks off; the packed app does not start with one. */
export function refusedSwitch(argv: readonly string[]): string | undefined {
  return argv.find((argument) => refusedSwitches.test(argument));
}
