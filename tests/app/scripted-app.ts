/** The real command line with a scripted model: it answers at once, looks into a folder first, or talks for long. */
import { createApp } from "../../src/main/app.ts";
import { runCli } from "../../src/main/app-cli.ts";
import type { ModelRequest } from "../../src/shared/inference.ts";
import { textOf } from "../../src/shared/message.ts";
import { calls, type ScriptStep, says, scriptedProvider } from "../support/scripted-provider.ts";

function reply({ messages }: ModelRequest): readonly ScriptStep[] {
  const last = messages.at(-1);
  const [text = ""] = textOf(messages.findLast(({ role }) => role === "user")?.parts ?? [])
    .split("\n\n")
    .slice(-1);
  const words = Number(/talk (\d+)/.exec(text)?.[1] ?? 0);
  if (words > 0) return talk(words);
  if (text.includes("look") && last?.role === "user") return calls({ name: "list_files", input: {} });
  return says(`You said: ${text}`);
}

/** So many words, about a hundred a second. */
const talk = (words: number): ScriptStep[] =>
  [
    ...Array.from({ length: words }, (_, at): ScriptStep[] => [{ wait: 10 }, { type: "text", text: ` word${at + 1}` }]),
    says(" end."),
  ].flat();

const provider = scriptedProvider([], { afterwards: [reply] });

process.exitCode = await runCli(process.argv.slice(2), (options) => createApp({ ...options, provider }));
