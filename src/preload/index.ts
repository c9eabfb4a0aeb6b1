import { contextBridge } from "electron";
import type { HostBridge } from "../shared/bridge.ts";

const host: HostBridge = { electron: process.versions.electron };

contextBridge.exposeInMainWorld("host", host);
