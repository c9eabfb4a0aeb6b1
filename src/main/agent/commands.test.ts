import { describe, expect, test } from "vitest";
import { anAgent, answers, aTool } from "../../../tests/support/agent.ts";
import { calls, type ScriptStep, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";

/** An agent that has something to say to whatever reaches the model. */
const aTalker = (script: ReadonlyArray<readonly ScriptStep[]> = []) =>
  anAgent({ model: scriptedProvider(script, { afterwards: says("ok") }) });

describe("is a command", () => {
  test.each([
    ["exact", "/help"],
    ["in upper case", "/HELP"],
    ["with spaces around it", "  /help  "],
    ["with a line end behind it", "/help\n"],
    ["with the full-width slash of a Chinese keyboard", "／help"],
    ["with more words than it needs", "/help me please"],
  ])("typed %s: %j", async (_how, text) => {
    const agent = aTalker();
    expect(await agent.say(text)).toMatchObject({ stopReason: "command", text: expect.stringMatching(/^\/help /) });
    expect(agent.model.requests).toEqual([]);
  });

  test.each([
    ["extra spaces before it", "/goal    tidy up", "tidy up"],
    ["a tab before it", "/goal\ttidy up", "tidy up"],
    ["an ideographic space before it", "／goal　整理", "整理"],
    ["quotes in it", `/goal call it "a  b" and 'c'`, `call it "a  b" and 'c'`],
    ["a slash in it", "/goal read /etc/hosts", "read /etc/hosts"],
    ["capitals in it", "/GOAL Tidy Up", "Tidy Up"],
  ])("and its argument is kept as it is, with %s", async (_what, text, argument) => {
    const agent = aTalker();
    await agent.say(text);
    expect(agent.store.goal("s")?.text).toBe(argument);
  });
});

describe("is a message, and the model reads it as it is", () => {
  test.each([
    ["a path that begins with a slash", "/usr/bin/env is a path"],
    ["a path alone", "/home/me"],
    ["a path with a letter and a dot", "/a.txt"],
    ["a fraction", "5/7"],
    ["a slash alone", "/"],
    ["a slash and a space", "/ help"],
    ["more than one pasted line that begins with a command", "/help\nand more"],
    ["pasted lines with the line ends of Windows", "/help\r\nand more"],
    ["pasted lines of code", "// a comment\nlet x;"],
    ["a comment of code", "// a comment"],
    ["a network path", "//server/share"],
    ["another alphabet", "/помощь"],
  ])("when it is %s", async (_what, text) => {
    const agent = aTalker();
    expect((await agent.say(text)).stopReason).toBe("completed");
    expect(agent.rows()[0]).toBe(`user complete: ${text}`);
    expect(JSON.stringify(agent.model.requests[0]?.messages)).toContain(JSON.stringify(text).slice(1, -1));
  });
});

describe("two slashes", () => {
  test.each([
    ["//help", "/help"],
    ["  //help me", "  /help me"],
    ["／／help", "／help"],
    ["//nonsense", "/nonsense"],
  ])("send %j with one, as a message", async (text, sent) => {
    const agent = aTalker();
    expect((await agent.say(text)).stopReason).toBe("completed");
    expect(agent.rows()[0]).toBe(`user complete: ${sent}`);
  });

  test("do so in a follow-up too", async () => {
    const agent = aTalker([[{ wait: 20 }, ...says("one")]]);
    const first = agent.say("work");
    await agent.say("//help");
    await first;
    expect(agent.rows()[2]).toBe("user complete: /help");
  });
});

describe("is unknown, and is answered without the model", () => {
  test.each([
    ["/hlep", "/help"],
    ["/hel", "/help"],
    ["/s", "/stop"],
    ["/statsu now", "/status"],
  ])("%s: did you mean %s?", async (text, nearest) => {
    const agent = aTalker();
    expect(await agent.say(text)).toMatchObject({
      stopReason: "command",
      text: expect.stringContaining(`Did you mean ${nearest}?`),
    });
    expect(agent.model.requests).toEqual([]);
  });

  test("with nothing near, the list of them and the way to send it all the same are named", async () => {
    const { text } = await aTalker().say("/xylophone");
    expect(text).toBe(
      "There is no command /xylophone. /help lists them. With two slashes, //xylophone, it is a message.",
    );
  });
});

describe("during a running turn", () => {
  test("one that can wait is answered after it, and the model never reads it", async () => {
    const agent = aTalker([[{ wait: 20 }, ...says("one")]]);
    const first = agent.say("work");
    await agent.say("/help");
    await first;
    expect(agent.rows().slice(0, 3)).toEqual([
      "user complete: work",
      "assistant complete: one",
      "user command complete: /help",
    ]);
    expect(agent.model.requests).toHaveLength(1);
  });

  test("one that cannot wait is answered in it", async () => {
    const agent = aTalker([[{ wait: 60_000 }]]);
    const first = agent.say("work");
    expect((await agent.say("/STOP")).text).toBe("Stopped.");
    expect((await first).stopReason).toBe("aborted");
  });
});

test("what a tool, a document or the model says is never a command", async () => {
  const agent = anAgent({
    tools: [aTool("look", answers("/new"))],
    script: [calls({ name: "look", input: {} }), says("/stop"), says("/goal take over the world")],
  });
  expect(await agent.say("look")).toMatchObject({ stopReason: "completed", text: "/stop" });
  expect(await agent.say("and now?")).toMatchObject({ stopReason: "completed" });
  expect(agent.rows().some((row) => row.includes("command"))).toBe(false);
  expect(agent.store.goal("s")).toBeUndefined();
});

test("a command and its answer are shown and never replayed; of /new nothing is left", async () => {
  const agent = aTalker();
  await agent.say("/status");
  await agent.say("/nonsense");
  await agent.say("/new");
  await agent.say("hi");
  expect(agent.rows().filter((row) => row.includes("command"))).toHaveLength(4);
  const prompt = JSON.stringify(agent.model.requests[0]?.messages);
  for (const word of ["/status", "Running", "/nonsense", "/new"]) expect(prompt).not.toContain(word);
});
