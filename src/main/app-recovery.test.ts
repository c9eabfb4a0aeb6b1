import { join } from "node:path";
import { expect, test } from "vitest";
import { aCrash } from "../../tests/support/crashed-turn.ts";
import { says, scriptedProvider } from "../../tests/support/scripted-provider.ts";
import { temporaryFolder } from "../../tests/support/stored-turn.ts";
import { createApp } from "./app.ts";
import { createStore } from "./db/store.ts";

/** Data in which a turn was writing when the app died; `crashes` times at the same place. */
function aCrashedFolder(settings: object, isUnknown = false): string {
  const folder = temporaryFolder();
  const store = createStore(join(folder, "lares.db"));
  store.setSetting("settings", JSON.stringify(settings));
  const crash = aCrash("Tell me", { store });
  crash.asked();
  if (isUnknown) crash.asks({ name: "send", class: "once", state: "running" });
  else crash.half("Once upon a time");
  store.close();
  return folder;
}

async function afterStart(folder: string, settings = true) {
  const app = await createApp({
    dataFolder: folder,
    workspace: folder,
    provider: scriptedProvider([], { afterwards: says(" there was a lamp.") }),
  });
  if (settings) app.goOn();
  await app.idle();
  const turn = app.store.turn("t");
  await app.close();
  return turn;
}

test("an interrupted answer waits, unless the person has said that it may go on by itself", async () => {
  expect(await afterStart(aCrashedFolder({}))).toMatchObject({ recovery: "interrupted" });
  const turn = await afterStart(aCrashedFolder({ continueAfterCrash: true }));
  expect(turn).toMatchObject({ stopReason: "completed" });
  expect(turn).not.toHaveProperty("recovery");
});

test("one whose call may have happened waits all the same", async () => {
  const folder = aCrashedFolder({ continueAfterCrash: true }, true);
  expect(await afterStart(folder)).toMatchObject({ recovery: "unknown" });
});

test("a second crash at the same place waits", async () => {
  const folder = aCrashedFolder({ continueAfterCrash: true });
  await afterStart(folder, false); // interrupted for the first time
  const store = createStore(join(folder, "lares.db"));
  store.reopenTurn("t", "run"); // it went on, and the app died at once
  store.close();
  expect(await afterStart(folder)).toMatchObject({ recovery: "interrupted" });
});
