/** What the preload puts at `window.host`. In a browser there is no preload and no host. */
export interface HostBridge {
  /** The version of Electron that shows the page. */
  readonly electron: string;
}
