import { resolve } from "node:path";
import { createApp } from "./app.ts";
import { defaultDataFolder } from "./channels/arguments.ts";
import { startElectron } from "./electron/start.ts";

const dataFolder = resolve(process.env.LARES_HOME || defaultDataFolder(process.env, process.platform));

startElectron({
  dataFolder,
  async open(safeStorage) {
    const app = await createApp({
      dataFolder,
      safeStorage,
      mustOpen: "always",
      waitMs: 2000, // then a dialog says who holds the data folder
      mayFetch: async () => false, // the page has a button for it
    });
    app.goOn();
    return app;
  },
});
