// A program that owns an engine, for tests of what becomes of the child when its parent ends.
// Arguments: entry of the child, or "own"; path of the model; how it ends: answer | throw | exit | stay.
// It prints the child's process id when the model is loaded, and again when an answer has begun.
import { argv, stdout } from "node:process";
import { createEngine } from "../../src/main/engine/keeper.ts";
import { silentLog } from "../../src/main/lib/log.ts";

const [, , entry = "own", path = "", end = "stay"] = argv;
const memory = { get: () => undefined, set: () => undefined };
const engine = createEngine({ memory, log: silentLog, ...(entry !== "own" && { entry }) });
const signal = new AbortController().signal;

await engine.load({ path, contextTokens: 512 }, signal);
stdout.write(`loaded ${engine.pid}\n`);
const request = {
  sessionId: "session",
  turnId: "t",
  messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: "Count to a hundred." }] }],
  tools: [],
  toolChoice: "auto" as const,
  maxOutputTokens: 256,
  sampling: { temperature: 0 },
};
for await (const event of engine.chat(request, signal)) {
  if (event.type !== "text") continue;
  stdout.write(`answering ${engine.pid}\n`);
  if (end === "exit") process.exit(7);
  if (end === "throw") throw new Error("The parent fails.");
}
stdout.write("done\n");
