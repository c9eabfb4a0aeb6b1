import { app, dialog } from "electron";
import type { Desk } from "../../shared/bridge.ts";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { Speech } from "./language.ts";

/** The assistant behind the windows, as far as they know it. */
export interface Assistant {
  readonly desk: Desk;
  /** Stops what runs, keeps what it produced, and lets go of everything. */
  close(): Promise<void>;
}

/** Opens the assistant. As long as it cannot be, a person is told why and may try again; when they leave, the app quits. */
export async function openAssistant(open: () => Promise<Assistant>, speech: Speech): Promise<Assistant> {
  while (true) {
    try {
      return await open();
    } catch (thrown) {
      const error = toAppError(thrown);
      if (await wantsAgain(error, speech)) continue;
      app.quit();
      throw error;
    }
  }
}

async function wantsAgain({ code, message }: AppError, { say }: Speech): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: "error",
    message: say(`problems.${code}`),
    detail: `${message}\n\n${say("window.cannotOpen")}`,
    buttons: [say("window.tryAgain"), say("window.quit")],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
}
