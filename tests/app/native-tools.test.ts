import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApp } from "../../src/main/app.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import { brief } from "../support/agent.ts";
import { qwenTemplate } from "../support/chat-templates.ts";
import { writeGguf } from "../support/gguf.ts";
import { temporaryFolder } from "../support/stored-turn.ts";

/** Whenever it may, the model calls; when it may not, it answers. Every prompt ends in a line break, and so does the past. */
const call = ["\n", "<tool_call>", '\n{"name": "'];
const script = [
  call,
  call, // twice as strong as the answer
  ["\n", "It is 4711.", "<|im_end|>"],
  ['"', "read_file"],
  [" ", '{"path": "a.txt", "fromLine": null, "lines": null}', "\n\n\n\n"],
];

test("a model that knows tools calls one by its own syntax, and the result comes back to it in the next request", async () => {
  const [dataFolder, workspace] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(workspace, "a.txt"), "The code is 4711.");
  const template = { architecture: "qwen2", chatTemplate: qwenTemplate };
  const chosen = writeGguf(join(dataFolder, "calling.gguf"), { ...template, script });
  const app = await createApp({ dataFolder, workspace, chosen });
  app.store.setSetting("settings", JSON.stringify({ maxIterationsLocal: 1 })); // then it has to answer
  const events: TurnEvent[] = [];
  app.bus.listen((event) => events.push(event));
  app.bus.ask({ id: "m", channel: "test", sessionId: "s", text: "What is the code?" });
  await app.idle();

  const about = { type: "tool", name: "read_file", origin: "model" };
  expect(events.filter(({ type }) => type === "tool")).toMatchObject([
    { ...about, phase: "start", input: { path: "a.txt" } },
    { ...about, phase: "end", ok: true, summary: "a.txt, lines 1-1" },
  ]);
  expect(events.at(-1)).toMatchObject({ type: "turn.ended", text: "It is 4711." });
  const rows = app.store.page("s", { limit: 9 }).filter(({ status }) => status !== "hidden");
  expect(rows.map(brief)).toEqual([
    "user complete: What is the code?",
    'assistant complete: read_file({"path":"a.txt"})',
    expect.stringMatching(/^tool complete: .*The code is 4711\./s),
    "assistant complete: It is 4711.",
  ]);
  const notes = app.store.trace(app.store.lastTurn("s")?.id ?? "").flatMap((entry) => entry.notes ?? []);
  expect(notes.filter((note) => note.startsWith("request"))).toEqual([
    expect.stringMatching(/^request 1: tool_calls/),
    expect.stringMatching(/^request 2: stop/),
  ]);
  expect(app.store.setting(`engine.model:${chosen}`)).toContain('"toolLevel":"native"');
  expect(app.store.check()).toEqual([]);
  await app.close();
});
