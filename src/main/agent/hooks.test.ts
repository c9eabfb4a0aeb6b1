import { expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, says } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import type { Hooks } from "./hooks.ts";

/** Hooks that note when they are called. */
function noting(name: string, seen: string[]): Hooks {
  const note = (kind: string) => () => void seen.push(`${name} ${kind}`);
  return {
    name,
    beforeRun: note("before run"),
    afterRun: note("after run"),
    beforeIteration: note("before iteration"),
    afterIteration: note("after iteration"),
    beforeTool: (_moment, call) => void seen.push(`${name} before ${call.name}`),
    afterTool: (_moment, call) => void seen.push(`${name} after ${call.name}`),
    onError: (_moment, error) => void seen.push(`${name} ${error.code}`),
    finalize: note("finalize"),
  };
}

const look = aTool("look", answers("seen"));

test("are called in their order, around the run, each iteration and each tool", async () => {
  const seen: string[] = [];
  const agent = anAgent({
    tools: [look],
    hooks: [noting("a", seen), noting("b", seen)],
    script: [calls({ name: "look", input: {} }), says("Done.")],
  });
  await agent.say("go");
  expect(seen.filter((line) => line.startsWith("a"))).toEqual([
    "a before run",
    "a before iteration",
    "a before look",
    "a after look",
    "a after iteration",
    "a before iteration",
    "a after iteration",
    "a after run",
    "a finalize",
  ]);
  expect(seen.slice(0, 2)).toEqual(["a before run", "b before run"]);
});

test("one that fails is logged and fails nothing; the next one is called", async () => {
  const seen: string[] = [];
  const broken: Hooks = {
    name: "broken",
    beforeRun: () => Promise.reject(new Error("no")),
    beforeTool: () => {
      throw new Error("no");
    },
  };
  const agent = anAgent({
    tools: [look],
    hooks: [broken, noting("b", seen)],
    script: [calls({ name: "look", input: {} }), says("Done.")],
  });
  expect(await agent.say("go")).toMatchObject({ stopReason: "completed", text: "Done." });
  expect(seen).toContain("b before run");
});

test("an error is told, and the end of the run all the same", async () => {
  const seen: string[] = [];
  const agent = anAgent({ hooks: [noting("a", seen)], script: [[new AppError("request-refused", "No.")]] });
  await agent.say("go");
  expect(seen.slice(-2)).toEqual(["a request-refused", "a finalize"]);
});

test("a stop is told as one", async () => {
  const seen: string[] = [];
  const agent = anAgent({ hooks: [noting("a", seen)], script: [[{ type: "text", text: "Well" }, { wait: 60_000 }]] });
  agent.onEvent(({ type }) => type === "delta" && agent.loop.stop("s"));
  await agent.say("go");
  expect(seen.slice(-2)).toEqual(["a aborted", "a finalize"]);
});
