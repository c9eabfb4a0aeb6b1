import type { WebPreferences } from "electron";

/** Where the built page lives. Its own scheme has none of the rights of file: and no host but this one. */
export const pageScheme = "app";
export const pageUrl = `${pageScheme}://bundle/index.html`;

/** The only preferences a window of Lares ever has: the page renders hostile text and gets no power for it. */
export function lockedPreferences(preload: string): WebPreferences {
  return {
    preload,
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
