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
  return { settings, changes, text: () => values.get("settings") };
}

test.each([["nothing"], ["{"], ["[]"], ['{"theme":"pink"}'], ['{"temperature":"hot"}']])(
  "stored as %s, the settings are the defaults",
  (text) => {
    expect(stored(text).settings.read()).toMatchObject({ theme: "system", temperature: 0 });
  },
);

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
