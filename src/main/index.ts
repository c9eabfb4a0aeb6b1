import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createApp } from "./app.ts";
import { defaultDataFolder } from "./channels/arguments.ts";
import { startElectron } from "./electron/start.ts";

const dataFolder = resolve(process.env.LARES_HOME || defaultDataFolder(process.env, process.platform));
const workspace = join(dataFolder, "workspace"); // nothing of a person's own is read until they choose a folder

startElectron({
  dataFolder,
  async open() {
    const app = await createApp({
      dataFolder,
      workspace,
      waitMs: 2000, // then a dialog says who holds the data folder
      mayFetch: async () => false, // the page has a button for it
    });
    await mkdir(workspace, { recursive: true }).catch(() => undefined); // without it the tools say so
    return app;
  },
});
