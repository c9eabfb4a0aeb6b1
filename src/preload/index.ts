import { contextBridge, ipcRenderer, webUtils } from "electron";
import { CALL_CHANNEL, type HostBridge, STREAM_CHANNEL } from "../shared/bridge.ts";
import type { StreamBatch } from "../shared/stream.ts";

const host: HostBridge = {
  invoke: (name, input) =>
    ipcRenderer.invoke(CALL_CHANNEL, name, input instanceof File ? { path: webUtils.getPathForFile(input) } : input),
  onBatch(listener) {
    const forward = (_event: unknown, batch: StreamBatch) => listener(batch); // the event would leak ipcRenderer
    ipcRenderer.on(STREAM_CHANNEL, forward);
    return () => void ipcRenderer.off(STREAM_CHANNEL, forward);
  },
};

contextBridge.exposeInMainWorld("host", host);
