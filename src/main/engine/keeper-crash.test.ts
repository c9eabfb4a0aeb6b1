import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test, vi } from "vitest";
import {
  aLog,
  aMemory,
  answerOf,
  aRequest,
  collect,
  fakeChild,
  fakeEngine,
  fakeModel,
  isGone,
  noStop,
  temporaryFolder,
} from "../../../tests/support/fake-engine.ts";

const works = [{ text: "fine" }];
const minute = 60_000;

/** A clock that a test moves. */
function aClock() {
  let time = 0;
  return {
    now: () => time,
    pass(ms: number) {
      time += ms;
    },
  };
}

/** Runs the fake child with something done before. */
function childThat(does: string): string {
  const path = join(temporaryFolder(), "child.mjs");
  writeFileSync(path, `${does}\nawait import(${JSON.stringify(pathToFileURL(fakeChild).href)});`);
  return path;
}

describe("a child that dies", () => {
  test.each([
    { name: "at the first token", before: [] },
    { name: "after some tokens", before: [{ text: "one " }, { text: "two" }] },
  ])("$name is said so, what it said is kept, and the next message is answered", async ({ before }) => {
    const engine = fakeEngine();
    const model = fakeModel({ chat: [[...before, { kill: "SIGKILL" }], works] });
    const kept: unknown[] = [];
    const chat = collect(engine.chat(aRequest(), noStop(), model), (event) => void kept.push(event));
    await expect(chat).rejects.toMatchObject({
      code: "engine-crashed",
      retryable: true,
      message: "The local model stopped (signal SIGKILL). It is started again with your next message.",
    });
    expect(kept).toEqual(before.map(({ text }) => ({ type: "text", text })));
    expect(await answerOf(engine, model)).toBe("fine");
  });

  test("while it loads is said so, and the next message loads again", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ load: [[{ progress: [1, 2] }, { kill: "SIGSEGV" }], []] });
    await expect(engine.load(model, noStop())).rejects.toMatchObject({
      code: "engine-crashed",
      message: expect.stringContaining("signal SIGSEGV"),
    });
    expect(await answerOf(engine)).toBe("answer to session");
  });

  test.each([
    { name: "in silence", step: { exit: 0 }, how: "exit code 0" },
    { name: "with a code", step: { exit: 3 }, how: "exit code 3" },
    { name: "by letting go of its parent", step: { disconnect: true }, how: "signal SIGKILL" },
  ])("$name is noticed", async ({ step, how }) => {
    await expect(answerOf(fakeEngine(), fakeModel({ chat: [step] }))).rejects.toMatchObject({
      code: "engine-crashed",
      message: expect.stringContaining(how),
    });
  });

  test("while nobody asks is replaced with the next message", async () => {
    const engine = fakeEngine();
    await engine.load(fakeModel(), noStop());
    const pid = engine.pid ?? 0;
    process.kill(pid, "SIGKILL");
    await vi.waitFor(() => expect(engine.pid).toBeUndefined());
    expect(await answerOf(engine)).toBe("answer to session");
    expect(engine.pid).not.toBe(pid);
  });

  test("is not replaced before its time, and a message that waits for it can be stopped", async () => {
    const log = aLog();
    const engine = fakeEngine({ log, limits: { restartMs: [60_000] } });
    const model = fakeModel({ chat: [[{ kill: "SIGKILL" }], works] });
    await expect(answerOf(engine, model)).rejects.toThrow();
    const events = await collect(engine.chat(aRequest(), AbortSignal.timeout(200), model));
    expect(events).toEqual([{ type: "finish", reason: "aborted" }]);
    expect(log.lines.map(({ event }) => event)).toEqual(["engine.started", "engine.crashed"]);
  });

  test("has its last words heard, also by a parent that was busy just then", async () => {
    // More than is read from a pipe at once, less than fits into one.
    const model = fakeModel({ chat: [...Array(25).fill({ text: "word ".repeat(600) }), { kill: "SIGKILL" }] });
    let heard = 0;
    const chat = collect(fakeEngine().chat(aRequest(), noStop(), model), () => {
      heard += 1;
      if (heard === 1) for (const end = Date.now() + 200; Date.now() < end; );
    });
    await expect(chat).rejects.toMatchObject({ code: "engine-crashed" });
    expect(heard).toBe(25);
  });

  test("takes only the answer it worked on with it: those in line are answered", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ chat: [[{ kill: "SIGKILL" }], works] });
    const answers = await Promise.allSettled([answerOf(engine, model), answerOf(engine, model)]);
    expect(answers).toMatchObject([{ status: "rejected" }, { status: "fulfilled", value: "fine" }]);
  });

  test("leaves a line in the log that says how, and nothing of what was said", async () => {
    const log = aLog();
    const model = fakeModel({ chat: [{ console: "secret" }, { text: "secret" }, { kill: "SIGABRT" }] });
    await expect(answerOf(fakeEngine({ log }), model)).rejects.toThrow();
    expect(log.lines.at(-1)).toEqual({
      event: "engine.crashed",
      fields: { code: undefined, signal: "SIGABRT", killedFor: undefined, during: "chat" },
    });
    expect(JSON.stringify(log.lines)).not.toContain("secret");
  });
});

describe("a child that falls silent", () => {
  const limits = { pingMs: 50, silenceMs: 800, stallMs: 1_500 };

  test("with a blocked event loop is killed", async () => {
    const model = fakeModel({ chat: [[{ text: "a" }, { hang: true }], works] });
    const engine = fakeEngine({ limits });
    await expect(answerOf(engine, model)).rejects.toMatchObject({
      code: "engine-crashed",
      message: expect.stringContaining("no sign of life for 0.8 s"),
    });
    expect(await answerOf(engine, model)).toBe("fine");
  });

  test("although nobody asks is killed", async () => {
    const engine = fakeEngine({ limits });
    await engine.load(fakeModel(), noStop());
    const pid = engine.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    await isGone(pid);
    expect(await answerOf(engine)).toBe("answer to session");
  });

  test("about one answer, although it lives, is killed for want of progress", async () => {
    const model = fakeModel({ chat: [[{ text: "a" }, { stuck: true }], works] });
    const engine = fakeEngine({ limits });
    await expect(answerOf(engine, model)).rejects.toMatchObject({
      code: "timeout",
      message: expect.stringContaining("no progress for 1.5 s"),
    });
    expect(await answerOf(engine, model)).toBe("fine");
  });

  test("for less than the limits is left alone, and when it loads as long as it answers pings", async () => {
    const pause = { wait: limits.stallMs * 0.6 };
    const model = fakeModel({
      load: [{ wait: limits.stallMs * 1.2 }],
      chat: [{ text: "a" }, pause, { text: "b" }, pause],
    });
    expect(await answerOf(fakeEngine({ limits }), model)).toBe("ab");
  });

  test("while it loads gets the time that loading needs", async () => {
    const slow = childThat(`
      const busy = (ms) => { for (const end = Date.now() + ms; Date.now() < end; ); };
      process.on("message", ({ type }) => { if (type === "load") busy(1_000); });`);
    expect(await answerOf(fakeEngine({ limits, entry: slow }), fakeModel())).toBe("answer to session");
  });

  test("while it loads for ever is killed, and after the second time held back", async () => {
    const engine = fakeEngine({ limits: { ...limits, stallMs: 500 } });
    const model = fakeModel({ load: [{ hang: true }] });
    await expect(engine.load(model, noStop())).rejects.toMatchObject({ code: "engine-crashed" });
    await expect(engine.load(model, noStop())).rejects.toMatchObject({ code: "engine-crashed" });
    await expect(engine.load(model, noStop())).rejects.toMatchObject({ code: "model-held" });
  });
});

describe("a child that cannot be believed", () => {
  test.each([
    { name: "no message at all", reply: null },
    { name: "an unknown type", reply: { type: "surprise" } },
    { name: "events of no kind", reply: { type: "events", events: [{ type: "text", text: 7 }] } },
    {
      name: "an error without a known code",
      reply: { type: "error", error: { code: "x", message: "", retryable: 1 } },
    },
    { name: "an answer to nobody", reply: { type: "done", id: 4711, value: {} } },
  ])("may send $name: it is passed over", async ({ reply }) => {
    expect(await answerOf(fakeEngine(), fakeModel({ chat: [{ reply }, ...works] }))).toBe("fine");
  });

  test("does not load a model by an answer of another shape", async () => {
    const model = fakeModel({ load: [{ reply: { type: "done", value: { window: "wide" } } }, { stuck: true }] });
    await expect(fakeEngine().load(model, noStop())).rejects.toMatchObject({ code: "provider-failed" });
  });
});

describe("a child that does not start", () => {
  const silent = "process.env.FAKE_SAYS_NO_HELLO = '1'; setInterval(() => {}, 1000);";
  test.each([
    { name: "says no hello", does: silent, limits: { helloMs: 400 }, how: "no sign of life for 0.4 s" },
    { name: "ends at once", does: "process.exit(5);", limits: {}, how: "exit code 5" },
    { name: "cannot be read", does: "import './nowhere.mjs';", limits: {}, how: "exit code 1" },
  ])("because it $name is said so", async ({ does, limits, how }) => {
    const engine = fakeEngine({ entry: childThat(does), limits });
    await expect(engine.load(fakeModel(), noStop())).rejects.toMatchObject({
      code: "engine-unavailable",
      message: expect.stringContaining(`The local engine did not start (${how})`),
    });
  });

  test("is no fault of the file", async () => {
    const memory = aMemory();
    const engine = fakeEngine({ memory, entry: childThat("process.exit(5);"), limits: { restartMs: [0], pauseMs: 0 } });
    const model = fakeModel();
    for (let times = 0; times < 3; times++) {
      await expect(engine.load(model, noStop())).rejects.toMatchObject({ code: "engine-unavailable" });
    }
    expect(await answerOf(fakeEngine({ memory }), model)).toBe("answer to session");
  });
});

describe("a hundred kills", () => {
  test("with time between: it is started again each time, and the last answer is as good as the first", async () => {
    const clock = aClock();
    const engine = fakeEngine({ now: clock.now });
    const model = fakeModel();
    const pids = new Set<number>();
    for (let kills = 0; kills < 100; kills++) {
      expect(await answerOf(engine, model)).toBe("answer to session");
      const pid = engine.pid ?? 0;
      pids.add(pid);
      process.kill(pid, "SIGKILL");
      await vi.waitFor(() => expect(engine.pid).toBeUndefined(), { interval: 5 });
      clock.pass(3 * minute);
    }
    expect(pids.size).toBe(100);
    expect(await answerOf(engine, model)).toBe("answer to session");
  }, 120_000);

  test("in a row: after three it says why it waits and until when, and then goes on", async () => {
    const clock = aClock();
    const engine = fakeEngine({ now: clock.now, limits: { restartMs: [0] } });
    const model = fakeModel({ chat: [[{ kill: "SIGKILL" }], [{ kill: "SIGKILL" }], [{ kill: "SIGKILL" }], works] });
    const codes: string[] = [];
    for (let times = 0; times < 100; times++) {
      await answerOf(engine, model).catch((error) => codes.push(error.code));
    }
    expect(codes).toEqual([...Array(3).fill("engine-crashed"), ...Array(97).fill("engine-unavailable")]);
    clock.pass(2 * minute);
    await expect(answerOf(engine, model)).rejects.toThrow(
      /stopped 3 times in 5 minutes \(the last time: signal SIGKILL\).*again in 3 minutes.*smaller/,
    );
    clock.pass(3 * minute);
    expect(await answerOf(engine, model)).toBe("fine");
  });
});
