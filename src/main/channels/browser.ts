import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Desk } from "../../shared/bridge.ts";
import { AppError } from "../../shared/errors.ts";
import { foldersAbove } from "../lib/folders-above.ts";
import type { Log } from "../lib/log.ts";
import { readPageFiles } from "../lib/page-files.ts";
import { type Loopback, startLoopback } from "../net/loopback.ts";
import { deskVisitor } from "./desk-visitor.ts";

export interface BrowserOptions {
  readonly desk: Desk;
  /** The built page. */
  readonly pageFolder: string;
  readonly port?: number | undefined;
  readonly log: Log;
}

/** Shows the page of Lares in browsers of this computer. Rejects when the page cannot be read or no port can be had. */
export async function serveBrowser({ desk, pageFolder, port, log }: BrowserOptions): Promise<Loopback> {
  const files = await readPageFiles(pageFolder);
  const loopback = await startLoopback({
    files,
    port,
    onPage(send) {
      const newWindow = async () => loopback.issueAddress();
      const { message, closed } = deskVisitor({ desk, shell: { kind: "browser", newWindow }, send, log });
      log.info("browser.page-opened");
      return {
        message,
        closed() {
          closed();
          log.info("browser.page-closed");
        },
      };
    },
  });
  log.info("browser.opened", { port: loopback.port });
  return loopback;
}

/** The built page. Throws AppError when it is not built. */
export function findPageFolder(): string {
  const pages = foldersAbove.map((folder) => join(folder, "out", "renderer"));
  const page = pages.find((folder) => existsSync(join(folder, "index.html")));
  if (page !== undefined) return page;
  throw new AppError("not-found", "The page of Lares is not built yet. Build it with: npm run build");
}
