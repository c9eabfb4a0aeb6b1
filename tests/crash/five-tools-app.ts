/**
 * The real command line, with a scripted model that wants five tools and then answers. What the tools do is a line each
 * in the file EFFECTS. The third one is of the class THIRD; with HANG it does its work and never comes back.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { createApp } from "../../src/main/app.ts";
import { runCli } from "../../src/main/app-cli.ts";
import type { Tool } from "../../src/main/tools/tool.ts";
import type { ToolClass } from "../../src/shared/turn.ts";
import { aTool } from "../support/agent.ts";
import { calls, says, scriptedProvider } from "../support/scripted-provider.ts";

const { EFFECTS = "", THIRD = "read", HANG } = process.env;

const classes = ["read", "idempotent", THIRD as ToolClass, "once", "read"] as const;

function slowTool(kind: ToolClass, at: number): Tool {
  const name = `work${at + 1}`;
  const work: Tool["run"] = async () => {
    appendFileSync(EFFECTS, `${name}\n`);
    if (HANG && at === 2) {
      process.stderr.write("work3 hangs\n");
      await wait(60_000);
    }
    await wait(30);
    return { text: `${name} is done`, summary: "done" };
  };
  return aTool(name, work, { class: kind, exclusive: true, timeoutMs: 60_000 });
}

const tools = classes.map(slowTool);
const wanted = calls(...tools.map(({ name }) => ({ id: name, name, input: {} })));
const provider = scriptedProvider([], {
  afterwards: [({ messages }) => [...(messages.at(-1)?.role === "user" ? wanted : says("All five are done."))]],
});

process.exitCode = await runCli(process.argv.slice(2), (options) => createApp({ ...options, provider, tools }));
