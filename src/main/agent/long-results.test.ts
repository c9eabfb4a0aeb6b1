import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import type { ModelRequest } from "../../shared/inference.ts";
import { readFileTool } from "../tools/read-file.ts";
import { createResultFiles } from "../tools/result-files.ts";
import { fittingResult, shortenedResult } from "./long-results.ts";

const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n");
const finds = aTool("finds", answers(lines));
const info = { window: 100_000 };

/** An agent whose results may go to files, with the folder they go to. */
function aKeeper(script: Parameters<typeof scriptedProvider>[0], folder = join(temporaryFolder(), "results")) {
  const results = createResultFiles(folder);
  const agent = anAgent({ results, tools: [finds, readFileTool], model: scriptedProvider(script, { info }) });
  const resultsIn = (request: number) =>
    agent.model.requests[request]?.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.text] : [])),
    ) ?? [];
  return { ...agent, folder, resultsIn };
}

const seek = calls({ name: "finds", input: {} });

describe("a result over 16,000 characters", () => {
  test("goes to a file; the row has its beginning and the name by which read_file shows the rest", async () => {
    const readsTheEnd = ({ messages }: ModelRequest) => {
      const name = /result:\w+/.exec(JSON.stringify(messages))?.[0];
      return calls({ name: "read_file", input: { path: name, fromLine: 4_999 } });
    };
    const agent = aKeeper([seek, [readsTheEnd], says("It ends with line 5000.")]);
    await agent.say("look");
    const [found = "", read] = agent.resultsIn(2);
    expect(found.startsWith(lines.slice(0, 1_200))).toBe(true);
    expect(found.slice(1_200)).toMatch(
      /^\n\[… the whole result has \d+ characters; read_file shows it: path "result:[0-9a-f]{16}"\]$/,
    );
    expect(read).toBe("line 4999\nline 5000");
  });

  test("stands in every later prompt as it did in the first, so that the prefix stays", async () => {
    const agent = aKeeper([seek, says("Yes."), says("Again.")]);
    await agent.say("look");
    await agent.say("and now?");
    const before = JSON.stringify(agent.model.requests[1]?.messages).slice(0, -1);
    expect(JSON.stringify(agent.model.requests[2]?.messages).startsWith(before)).toBe(true);
  });

  test("is in the file whole", async () => {
    const agent = aKeeper([seek, says("Yes.")]);
    await agent.say("look");
    const [path = ""] = readdirSync(agent.folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".txt"),
    );
    expect(readFileSync(join(agent.folder, path), "utf8")).toBe(lines);
  });

  test("that cannot be kept is cut, and the turn goes on", async () => {
    const folder = join(temporaryFolder(), "results");
    writeFileSync(folder, "a file where the folder should be");
    const agent = aKeeper([seek, says("Yes.")], folder);
    expect((await agent.say("look")).text).toBe("Yes.");
    expect(agent.resultsIn(1)[0]).toMatch(/^line 1\n[\s\S]*\[cut: \d+ more characters\]$/);
  });

  test("of a chat that keeps nothing on disk is cut", async () => {
    const agent = anAgent({ tools: [finds], model: scriptedProvider([seek, says("Yes.")], { info }) });
    await agent.say("look");
    expect(agent.rows()[2]).toMatch(/\[cut: \d+ more characters\]$/);
  });
});

test("a result as long as its cap stays whole, and so does its name when room is made later", async () => {
  expect(await fittingResult("x".repeat(16_000), 16_000)).toBe("x".repeat(16_000));
  const offloaded = await fittingResult("x".repeat(16_001), 16_000, async () => "result:0123456789abcdef");
  expect(shortenedResult(offloaded)).toBe(offloaded);
});

test("no character is cut in two, and a lone half becomes a sign that something was there", async () => {
  const cut = await fittingResult("😀".repeat(6_000), 1_201);
  expect(cut.isWellFormed()).toBe(true);
  expect(cut.startsWith(`${"😀".repeat(600)}\n[cut`)).toBe(true);
  expect(shortenedResult(`\ud800${"x".repeat(2_000)}`).startsWith("\ufffdxx")).toBe(true);
});
