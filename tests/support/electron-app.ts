import { _electron, type Page } from "playwright-core";
import { builtApp } from "./built-app.ts";

/** What tests need of a window of Lares, in Electron or in its stand-in. */
export interface ElectronApp {
  readonly page: Page;
  pages(): Page[];
  close(): Promise<unknown>;
  kill(): Promise<void>;
}

/** Lares in the real Electron, started as `npm start` does. */
export async function openElectron(program: string, { home }: { home: string }): Promise<ElectronApp> {
  const folder = await builtApp();
  const app = await _electron.launch({
    executablePath: program,
    args: [folder],
    cwd: folder,
    env: { ...(process.env as Record<string, string>), LARES_HOME: home },
  });
  const page = await app.firstWindow();
  return {
    page,
    pages: () => app.windows(),
    close: () => app.close(),
    async kill() {
      const ended = app.waitForEvent("close");
      app.process().kill("SIGKILL");
      await ended;
    },
  };
}
