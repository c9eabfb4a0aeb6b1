import { statSync } from "node:fs";
import { basename } from "node:path";
import { type BrowserWindow, dialog, shell } from "electron";
import type { Shell } from "../../shared/bridge.ts";
import { AppError, toAppError } from "../../shared/errors.ts";
import { classifyLink } from "../../shared/links.ts";
import { replaceFile } from "../lib/atomic-write.ts";
import type { Say, Speech } from "./language.ts";

/** What a window can do for its page with the dialogs and programs of the system. */
export function createShell(window: BrowserWindow, speech: Speech, newWindow: () => void): Shell {
  const { say } = speech;
  return {
    kind: "window",
    async pickFile(kind) {
      const { canceled, filePaths } = await dialog.showOpenDialog(
        window,
        kind === "model"
          ? {
              title: say("window.chooseModel"),
              properties: ["openFile"],
              filters: [{ name: say("window.models"), extensions: ["gguf"] }],
            }
          : { title: say("window.chooseFolder"), properties: ["openDirectory", "createDirectory"] },
      );
      return canceled ? null : (filePaths[0] ?? null);
    },
    async saveText(name, text) {
      const options = { title: say("window.saveAs"), defaultPath: fileName(name) };
      const { canceled, filePath } = await dialog.showSaveDialog(window, options);
      if (canceled || !filePath) return false;
      await replaceFile(filePath, text).catch((thrown: unknown) => {
        throw notSaved(filePath, thrown);
      });
      return true;
    },
    async openLink(url) {
      const link = classifyLink(url);
      if (link.kind === "refuse") throw new AppError("bad-request", `This link is not opened: ${link.why}.`);
      if (await confirmLink(window, link, say)) await shell.openExternal(link.url);
    },
    async showFolder(path) {
      if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
        throw new AppError("not-found", `${path} is not a folder any more. Choose another one in the settings.`);
      }
      const problem = await shell.openPath(path);
      if (problem)
        throw new AppError("internal", `${path} could not be shown: ${problem}. Open it in your file manager.`);
    },
    async newWindow() {
      newWindow();
      return null;
    },
  };
}

/** Shows where a link leads, all of it. Leaving the dialog in any way but its one button is a no. */
async function confirmLink(
  window: BrowserWindow,
  { url, host }: { url: string; host: string },
  say: Say,
): Promise<boolean> {
  const question = url.startsWith("mailto:") ? "window.writeMail" : "window.openLink";
  const { response } = await dialog.showMessageBox(window, {
    type: "question",
    message: say(question, { host }),
    detail: say("window.leaves", { url }),
    buttons: [say("window.cancel"), say("window.open")],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 1;
}

/** A name without a folder, and without what no file system or dialog takes. */
function fileName(name: string): string {
  const plain = basename(name.replaceAll("\\", "/")).replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, "");
  return plain.replace(/^\.+|[. ]+$/g, "") || "lares.txt";
}

function notSaved(path: string, thrown: unknown): AppError {
  const code = (thrown as NodeJS.ErrnoException).code === "ENOSPC" ? "disk-full" : "disk-error";
  const { message } = toAppError(thrown);
  return new AppError(code, `${path} was not saved: ${message}. Choose another folder.`, thrown);
}
