import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { AppError } from "../shared/errors.ts";
import { Settings } from "../shared/settings.ts";

const KEY = "settings";

interface SettingsOptions {
  readonly store: { setting(key: string): string | undefined; setSetting(key: string, value: string): void };
  readonly onChange: (settings: Settings) => void;
}

/** The settings as they are stored: only what a person chose, so that a better default reaches everyone else. */
export function createSettings({ store, onChange }: SettingsOptions) {
  const stored = (): Record<string, unknown> => StoredSettings.safeParse(store.setting(KEY) ?? "{}").data ?? {};

  /** Over the defaults. What does not read as settings is left aside: the app must always start. */
  function read(): Settings {
    const parsed = Settings.safeParse(stored());
    return parsed.success ? parsed.data : Settings.parse({});
  }

  /** On disk when it returns. An empty model or workspace means the default again. Throws AppError bad-request. */
  function change(change: Partial<Settings>): Settings {
    if (change.workspace) checkFolder(change.workspace);
    const next = Object.entries({ ...stored(), ...change }).filter(([, value]) => value !== undefined && value !== "");
    const parsed = Settings.safeParse(Object.fromEntries(next));
    if (!parsed.success) throw new AppError("bad-request", z.prettifyError(parsed.error));
    store.setSetting(KEY, JSON.stringify(Object.fromEntries(next)));
    onChange(parsed.data);
    return parsed.data;
  }

  return { read, change };
}

export type AppSettings = ReturnType<typeof createSettings>;

const StoredSettings = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch (thrown) {
      context.addIssue({ code: "custom", message: String(thrown) });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.unknown()));

function checkFolder(path: string): void {
  if (isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new AppError("bad-request", `${path} is not a folder. Choose one that is there.`);
}
