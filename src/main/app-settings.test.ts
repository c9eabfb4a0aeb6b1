import { expect, test } from "vitest";
import { temporaryFolder } from "../../tests/support/stored-turn.ts";
import type { Settings } from "../shared/settings.ts";
import { createSettings } from "./app-settings.ts";

function stored(text?: string) {
  const values = new Map(text === undefined ? [] : [["settings", text]]);
  const changes: Settings[] = [];
  const settings = createSettings({
    store: { setting: (key) => values.get(key), setSetting: (key, value) => void values.set(key, value) },
    onChange: (settings) => changes.push(settings),
  });
  return { settings, values, changes, text: () => values.get("settings") };
}

test.each([["nothing"], ["{"], ["[]"], ['{"theme":"pink"}'], ['{"temperature":"hot"}']])(
  "stored as %s, the settings are the defaults",
  (text) => {
    expect(stored(text).settings.read()).toMatchObject({ theme: "system", temperature: 0 });
  },
);

test.each(["{", "null", "\0\0\0", "x".repeat(10_000_000), '{"theme":"pink","temperature":1}'])(
  "stored settings that do not read are no dead end, and are kept (%#)",
  (bad) => {
    const { settings, values } = stored(bad);
    expect(settings.change({ language: "en" })).toMatchObject({ language: "en", theme: "system" });
    expect(settings.change({ maxIterations: 5 })).toMatchObject({ language: "en", maxIterations: 5 });
    const kept = [...values].filter(([key]) => key !== "settings");
    expect(kept).toEqual([[expect.stringMatching(/^settings\.bad-\d+$/), bad]]);
  },
);

test("one value that does not read takes no other with it, and what a later Lares added stays", () => {
  const { settings, text } = stored('{"theme":"pink","temperature":1,"voice":"low"}');
  expect(settings.read()).toMatchObject({ theme: "system", temperature: 1 });
  settings.change({ language: "en" });
  expect(text()).toBe('{"temperature":1,"voice":"low","language":"en"}');
});

test("only what was chosen is stored", () => {
  const { settings, text, changes } = stored();
  settings.change({ theme: "dark" });
  settings.change({ temperature: 1 });
  expect(text()).toBe('{"theme":"dark","temperature":1}');
  expect(changes.map(({ theme, temperature }) => [theme, temperature])).toEqual([
    ["dark", 0],
    ["dark", 1],
  ]);
});

test("an empty model or workspace is the default again", () => {
  const { settings, text } = stored();
  settings.change({ model: "a.gguf", workspace: temporaryFolder() });
  expect(settings.change({ model: "", workspace: "" })).not.toHaveProperty("model");
  expect(text()).toBe("{}");
});

test.each([["relative"], ["/no/such/folder"], [import.meta.filename]])("%s is no workspace", (workspace) => {
  const { settings, text, changes } = stored();
  expect(() => settings.change({ workspace })).toThrow(expect.objectContaining({ code: "bad-request" }));
  expect([text(), changes]).toEqual([undefined, []]);
});
