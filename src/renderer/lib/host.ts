import type { HostBridge } from "../../shared/bridge.ts";

declare global {
  interface Window {
    readonly host?: HostBridge;
  }
}

/** Who shows this page, in words. */
export function hostName(): string {
  return window.host ? `Electron ${window.host.electron}` : "a browser";
}
