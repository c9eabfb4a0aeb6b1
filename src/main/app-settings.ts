import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { z } from "zod";
import { AppError } from "../shared/errors.ts";
import { Settings } from "../shared/settings.ts";
import { type Log, silentLog } from "./lib/log.ts";

const KEY = "settings";

/** Where stored settings are kept that did not read, before others take their place. */
const BAD_KEY = "settings.bad-";

interface SettingsOptions {
  readonly store: { setting(key: string): string | undefined; setSetting(key: string, value: string): void };
  readonly onChange: (settings: Settings) => void;
  readonly log?: Log;
}

/** The settings as they are stored: only what a person chose, so that a better default reaches everyone else. */
export function createSettings({ store, onChange, log = silentLog }: SettingsOptions) {
  const stored = () => readable(store.setting(KEY) ?? "{}");
  if (stored().isBad) log.warn("settings not read");

  /** Over the defaults. What does not read is left aside, each by itself: the app must always start. */
  const read = (): Settings => Settings.parse(stored().values);

  /** What did not read is kept before it is overwritten. */
  function keepBad(): void {
    const text = store.setting(KEY);
    if (text !== undefined && readable(text).isBad) store.setSetting(`${BAD_KEY}${Date.now()}`, text);
  }

  /** On disk when it returns. An empty model or workspace means the default again. Throws AppError bad-request. */
  function change(change: Partial<Settings>): Settings {
    if (change.workspace) checkFolder(change.workspace);
    const next = Object.entries({ ...stored().values, ...change }).filter(
      ([, value]) => value !== undefined && value !== "",
    );
    const parsed = Settings.safeParse(Object.fromEntries(next));
    if (!parsed.success) throw new AppError("bad-request", z.prettifyError(parsed.error));
    keepBad();
    store.setSetting(KEY, JSON.stringify(Object.fromEntries(next)));
    onChange(parsed.data);
    return parsed.data;
  }

  return { read, change };
}

export type AppSettings = ReturnType<typeof createSettings>;

/** The values of stored settings that mean something, and whether there are others; what a later Lares has added is kept. */
function readable(text: string): { values: Record<string, unknown>; isBad: boolean } {
  const found = StoredSettings.safeParse(text).data;
  const values = Object.entries(found ?? {}).filter(([key, value]) => Settings.safeParse({ [key]: value }).success);
  return { values: Object.fromEntries(values), isBad: !found || values.length < Object.keys(found).length };
}

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
