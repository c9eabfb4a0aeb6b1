import type { Homes } from "./app-homes.ts";
import type { AppSettings } from "./app-settings.ts";
import type { Bus } from "./bus/bus.ts";
import type { CloudDesk, Health, ModelDesk } from "./ipc/backend.ts";
import { type AppDesk, createDesk } from "./ipc/desk.ts";
import { monotonicMs, newId } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import { readVersion } from "./lib/version.ts";
import { modelsFolder } from "./models/folders.ts";

interface AppDeskOptions {
  readonly dataFolder: string;
  readonly workspace: string;
  readonly bus: Bus;
  readonly homes: Homes;
  readonly models: ModelDesk;
  readonly cloud: CloudDesk;
  readonly health: Health;
  readonly redact: (text: string) => string;
  readonly settings: AppSettings;
  readonly log: Log;
}

/** The desk over the parts of the app: the joint of `ipc` with the rooms behind it. */
export function createAppDesk({
  dataFolder,
  workspace,
  bus,
  homes,
  models,
  cloud,
  health,
  redact,
  settings,
  log,
}: AppDeskOptions): AppDesk {
  const { loopOf, stores } = homes;
  return createDesk({
    news: bus,
    log,
    monotonicMs,
    backend: {
      version: readVersion(),
      folders: { data: dataFolder, models: modelsFolder(dataFolder) },
      workspace,
      stores,
      models,
      cloud,
      health,
      redact,
      settings: settings.read,
      changeSettings: settings.change,
      accept: bus.ask,
      stop: bus.stop,
      retryNow: (chatId) => loopOf(chatId).retryNow(chatId),
      recovery: (chatId) => loopOf(chatId).recovery,
      changeGoal(chatId, action) {
        const goal = loopOf(chatId).control.changeGoal(chatId, action);
        if (action === "resume") bus.ask({ id: newId(), channel: "window", sessionId: chatId, text: "/goal resume" });
        return goal;
      },
      wake: (chatId) => loopOf(chatId).wake(chatId),
      isRunning: (chatId) => loopOf(chatId).isRunning(chatId),
      settled: (chatId) => loopOf(chatId).settled(chatId),
      now: Date.now,
      newId,
    },
  });
}
