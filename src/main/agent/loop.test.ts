import { describe, expect, test } from "vitest";
import { anAgent, aTool, modelsOf } from "../../../tests/support/agent.ts";
import { calls, says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { AppError } from "../../shared/errors.ts";
import type { TurnState } from "../../shared/turn.ts";

const send = (agent: ReturnType<typeof anAgent>, text: string, sessionId = "s", id = text) =>
  agent.loop.accept({ id, channel: "test", sessionId, text });
const slowly = (text: string, wait = 20) => [{ wait }, ...says(text)];
const settled = () => new Promise((resolve) => setTimeout(resolve, 30));

describe("order", () => {
  test("messages of one session are answered in order, one turn at a time, and what came meanwhile joins it", async () => {
    const agent = anAgent({ script: [slowly("one"), slowly("two")] });
    for (const text of ["1", "2", "3"]) send(agent, text);
    await agent.loop.idle();
    expect(agent.rows()).toEqual([
      "user complete: 1",
      "assistant complete: one",
      "user complete: 2",
      "user complete: 3",
      "assistant complete: two",
    ]);
  });

  test("fifty follow-ups during one turn: all answered, in order, none doubled", async () => {
    const agent = anAgent({ model: scriptedProvider([], { afterwards: slowly("ok", 1) }) });
    for (let n = 0; n < 51; n++) send(agent, `message ${n}`);
    send(agent, "message 7"); // the channel sends one again
    await agent.loop.idle();
    const users = agent.rows().filter((row) => row.startsWith("user"));
    expect(users).toEqual(Array.from({ length: 51 }, (_, n) => `user complete: message ${n}`));
  });

  test("three sessions run at once, not four", async () => {
    let most = 0;
    const agent = anAgent({ model: scriptedProvider([], { afterwards: slowly("ok") }) });
    agent.onEvent(() => {
      most = Math.max(most, agent.loop.status().running);
    });
    for (const session of ["a", "b", "c", "d", "e"]) send(agent, "hi", session, session);
    await agent.loop.idle();
    expect(most).toBe(3);
    for (const session of ["a", "b", "c", "d", "e"]) expect(agent.rows(session)).toHaveLength(2);
  });

  test("a message is on disk before it is acknowledged, and after a restart it is answered first", async () => {
    const first = anAgent({ script: [[{ wait: 60_000 }]] });
    send(first, "long");
    send(first, "follow-up");
    expect(first.store.nextAccepted("s")?.text).toBe("follow-up");
  });
});

describe("commands that cannot wait", () => {
  test("/status is answered while a turn runs, with three states of its own", async () => {
    const agent = anAgent({ script: [slowly("done", 80)] });
    send(agent, "work");
    const status = await agent.say("/status");
    expect(status).toMatchObject({ stopReason: "command", text: expect.stringMatching(/Running: 1/) });
    expect(agent.store.trace(status.turnId)).toHaveLength(3);
    expect(agent.events.some((event) => event.type === "turn.ended" && event.text === "done")).toBe(false);
    await agent.loop.idle();
  });

  test("a command that can wait waits its turn", async () => {
    const agent = anAgent({ script: [slowly("done")] });
    send(agent, "work");
    send(agent, "/help");
    await agent.loop.idle();
    expect(agent.rows()[2]).toBe("user command complete: /help");
  });

  test("a command that could not wait, with more words, is a message like others", async () => {
    const agent = anAgent({ script: [slowly("done")] });
    send(agent, "work");
    send(agent, "/status please");
    await agent.loop.idle();
    expect(agent.rows().slice(0, 3)).toEqual([
      "user complete: work",
      "assistant complete: done",
      "user command complete: /status please",
    ]);
  });

  test("an unknown command is answered with the nearest name and never sent to the model", async () => {
    const agent = anAgent();
    expect((await agent.say("/hlep")).text).toMatch(/no command \/hlep\. Did you mean \/help\?/);
  });

  test.each(["/usr/bin/env is a path", "//help", "/help\nand more", "5/7"])(
    "%j is a message, not a command",
    async (text) => {
      const agent = anAgent({ script: [says("ok")] });
      expect((await agent.say(text)).stopReason).toBe("completed");
    },
  );

  test.each(["/HELP", "  /help  ", "／help"])("%j is the command /help", async (text) => {
    expect((await anAgent().say(text)).stopReason).toBe("command");
  });

  test("/new leaves no rows and names the next chat", async () => {
    const agent = anAgent();
    expect((await agent.say("/new")).nextSessionId).toMatch(/^t\d+$/);
    expect(agent.rows()).toEqual([]);
  });

  test("/trace shows the steps of the last answer", async () => {
    const agent = anAgent({ script: [says("Hello.")] });
    await agent.say("hi");
    const { text } = await agent.say("/trace");
    expect(text.split("\n").filter((line) => /^\w/.test(line))).toHaveLength(7);
  });

  test("/model chooses for this chat, and says when there is no such model", async () => {
    const check = async (name: string) => {
      if (name !== "scripted.gguf") throw new Error(`There is no model "${name}".`);
      return name;
    };
    const asked: Array<string | undefined> = [];
    const provider = async ({ model }: { model?: string }) => {
      asked.push(model);
      return scriptedProvider([says("ok")]);
    };
    const agent = anAgent({ models: { ...modelsOf(scriptedProvider()), provider, check } });
    expect((await agent.say("/model")).text).toMatch(/Here: scripted\.gguf/);
    expect((await agent.say("/model nope")).text).toBe('There is no model "nope".');
    await agent.say("/model scripted.gguf");
    await agent.say("hi");
    expect(asked).toEqual(["scripted.gguf"]);
  });
});

describe("stop", () => {
  test.each<TurnState>(["restore", "compact", "command", "build", "run"])(
    "after %s keeps what was typed and ends once",
    async (state) => {
      const agent = anAgent({ script: [slowly("never", 60_000)] });
      agent.onEvent((event) => {
        const next = event.type === "state" && event.state === before(state);
        if (next || (state === "restore" && event.type === "turn.started")) agent.loop.stop("s");
      });
      if (state === "run") setTimeout(() => agent.loop.stop("s"), 20);
      const ended = await agent.say("hi");
      expect(ended.stopReason).toBe("aborted");
      expect(agent.rows()).toEqual(["user complete: hi"]);
      expect(agent.events.filter(({ type }) => type === "turn.ended")).toHaveLength(1);
    },
  );

  test("in the middle of an answer keeps the half, marked, and the next message works", async () => {
    const agent = anAgent({ script: [[{ type: "text", text: "Once upon" }, { wait: 60_000 }], says("Hello.")] });
    agent.onEvent((event) => {
      if (event.type === "delta" && event.text === "Once upon") setTimeout(() => agent.loop.stop("s"), 5);
    });
    expect(await agent.say("tell")).toMatchObject({ stopReason: "aborted", text: "Once upon" });
    expect(agent.rows()).toEqual(["user complete: tell", "assistant incomplete: Once upon"]);
    expect((await agent.say("hi")).text).toBe("Hello.");
  });

  test("leaves a tool that ignores it behind; the call is unknown, those after it were not started", async () => {
    const hangs = aTool("hangs", () => new Promise(() => undefined), { class: "once", timeoutMs: 60_000 });
    const agent = anAgent({
      script: [calls({ name: "hangs", input: { path: "1" } }, { name: "hangs", input: { path: "2" } })],
      tools: [hangs],
    });
    agent.onEvent((event) => {
      if (event.type === "tool" && event.phase === "start") setTimeout(() => agent.loop.stop("s"), 5);
    });
    const ended = await agent.say("go");
    expect(ended.stopReason).toBe("aborted");
    expect(agent.store.calls(ended.turnId).map(({ state }) => state)).toEqual(["unknown", "skipped"]);
  });

  test("makes drafts of what waits, and touches no other chat", async () => {
    const agent = anAgent({ script: [slowly("never", 60_000), slowly("other")] });
    send(agent, "work");
    send(agent, "follow-up");
    send(agent, "hi", "other");
    await settled();
    expect(agent.loop.stop("s")).toEqual({ stopped: 1, drafts: 1 });
    await agent.loop.idle();
    expect(agent.store.inbound("follow-up")?.state).toBe("draft");
    expect(agent.rows("other")).toEqual(["user complete: hi", "assistant complete: other"]);
  });

  test("as a command, twice, and with nothing running", async () => {
    const agent = anAgent({ script: [slowly("never", 60_000)] });
    send(agent, "work");
    await settled();
    expect((await agent.say("/stop")).text).toBe("Stopped.");
    await agent.loop.idle();
    expect((await agent.say("/stop")).text).toBe("Nothing is running here.");
  });

  test("all that the stopped turn had done is there for the next one, and nothing of it is pending", async () => {
    const looks = aTool("look", async () => ({ text: "seen", summary: "" }));
    const agent = anAgent({
      tools: [looks],
      script: [calls({ name: "look", input: {} }), [{ type: "text", text: "Half" }, { wait: 60_000 }], says("Well.")],
    });
    agent.onEvent((event) => {
      if (event.type === "delta" && event.text === "Half") setTimeout(() => agent.loop.stop("s"), 5);
    });
    await agent.say("look");
    await agent.say("and?");
    const told = agent.model.requests.at(-1)?.messages.slice(1) ?? [];
    expect(told.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
    expect(JSON.stringify(told)).toMatch(/look.*seen.*Half.*and\?/);
    expect(agent.rows().filter((row) => /pending|streaming/.test(row))).toEqual([]);
  });

  test("a disk that is full keeps nothing going", async () => {
    const { store } = anAgent();
    const full = () => {
      throw new AppError("disk-full", "The disk is full.");
    };
    const agent = anAgent({ store: { ...store, draftWaiting: full }, script: [slowly("never", 60_000)] });
    send(agent, "work");
    await settled();
    expect(() => agent.loop.stop("s")).toThrow(expect.objectContaining({ code: "disk-full" }));
    await agent.loop.idle();
    expect(agent.store.lastTurn("s")?.stopReason).toBe("aborted");
  });

  test("closing keeps the error that a turn had met before", async () => {
    const agent = anAgent({
      script: [[new AppError("provider-failed", "The model is gone.")]],
    });
    agent.onEvent((event) => {
      if (event.type === "request" && event.request.error) void agent.loop.close();
    });
    expect(await agent.say("hi")).toMatchObject({ stopReason: "error", error: { code: "provider-failed" } });
  });

  test("closing stops what runs, and closing twice is closing once", async () => {
    const agent = anAgent({ script: [[{ type: "text", text: "Half" }, { wait: 60_000 }]] });
    send(agent, "work");
    await settled();
    await Promise.all([agent.loop.close(), agent.loop.close()]);
    expect(agent.rows()).toEqual(["user complete: work", "assistant incomplete: Half"]);
  });
});

const before = (state: TurnState): TurnState | undefined =>
  ({ compact: "restore", command: "compact", build: "command", run: "build" })[state as string] as
    | TurnState
    | undefined;

describe("what comes in", () => {
  test.each(["", "   ", "\n\t\u3000", "\u200b\u2060"])("%j is refused as blank, and nothing is stored", (text) => {
    const agent = anAgent();
    expect(() => send(agent, text, "s", "m")).toThrow(/empty/);
    expect(agent.store.inbound("m")).toBeUndefined();
  });

  test("NUL and lone surrogates are replaced and said so, all else stays byte for byte", async () => {
    const agent = anAgent({ script: [says("ok"), says("ok")] });
    expect(send(agent, "a\0b\ud800c", "s", "m1").repaired).toBe(true);
    const fine = "👨‍👩‍👧 שלום e\u0301 \r\n 中文";
    expect(send(agent, fine, "s", "m2").repaired).toBe(false);
    await agent.loop.idle();
    expect([agent.store.inbound("m1")?.text, agent.store.inbound("m2")?.text]).toEqual(["a\uFFFDb\uFFFDc", fine]);
  });

  test("five megabytes are kept whole and answered with what to do", async () => {
    const agent = anAgent();
    const text = "x".repeat(5_000_000);
    expect((await agent.say(text)).error?.code).toBe("context-overflow");
    expect(agent.rows()[0]).toBe(`user complete: ${text}`);
  });

  test("more than eight million characters are refused with the number", () => {
    expect(() => send(anAgent(), "x".repeat(8_100_000))).toThrow(/8\.1 million/);
  });
});
