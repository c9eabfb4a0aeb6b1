/** Turns without end, with tools, follow-ups, stops and failures among them, in many chats; every hundred it tells what it holds. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/main/app.ts";
import { AppError } from "../../src/shared/errors.ts";
import { calls, says, scriptedProvider } from "../support/scripted-provider.ts";
import { sampleBlock } from "./sample-texts.ts";
import type { Held } from "./soak.ts";

/** Until V8 has given its heap the size it keeps: used memory grows by nothing, reserved memory by a hundred megabytes. */
const warmUp = 2_000;
const turns = 2_000;
const step = 100;
const chats = 40;

const dataFolder = mkdtempSync(join(tmpdir(), "lares-soak-"));
const provider = scriptedProvider();
const app = await createApp({ dataFolder, workspace: dataFolder, provider });
const page = app.desk.connect({ kind: "window" }, ({ seq }) => void page.call("stream.ack", { seq }));

function script(at: number): void {
  if (at % 5 === 0) provider.reply(...calls({ name: "list_files", input: {} }, { name: "current_time", input: {} }));
  if (at % 7 === 0) provider.reply({ type: "text", text: "Half" }, new AppError("provider-failed", "It broke off."));
  else provider.reply(...says(sampleBlock(at)));
}

function look(done: number): void {
  globalThis.gc?.();
  const descriptors = process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0;
  const held: Held = {
    turns: done,
    rss: process.memoryUsage().rss,
    handles: descriptors + process.getActiveResourcesInfo().filter((name) => name !== "Immediate").length,
  };
  process.send?.(held);
}

for (let at = 0; at < warmUp + turns; at++) {
  script(at);
  app.bus.ask({ id: `m-${at}`, channel: "window", sessionId: `c-${at % chats}`, text: `Question ${at}.` });
  if (at % 11 === 0) await page.call("chats.open", { chatId: `c-${at % chats}` });
  await app.idle();
  (provider.requests as unknown[]).length = 0; // the script's own memory is not the app's
  if (at >= warmUp && (at - warmUp) % step === 0) look(at);
}
look(warmUp + turns);
page.close();
await app.close();
rmSync(dataFolder, { recursive: true, force: true });
process.disconnect();
