import { rmSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import {
  answerOf,
  aRequest,
  collect,
  fakeEngine,
  fakeModel,
  isGone,
  noStop,
} from "../../../tests/support/fake-engine.ts";
import type { ModelEvent } from "../../shared/inference.ts";

const patient = { timeout: 10_000 };

describe("use", () => {
  test("a chat starts the child and loads the model by itself, and says how far it is", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ load: [{ progress: [1, 2] }], chat: [{ text: "hello" }] });
    expect(await collect(engine.chat(aRequest(), noStop(), model))).toEqual([
      { type: "progress", phase: "loading", done: 1, total: 2 },
      { type: "text", text: "hello" },
      { type: "finish", reason: "stop" },
    ]);
  });

  test("a chat that names no model uses the last one; before the first one there is none", async () => {
    const engine = fakeEngine();
    await expect(answerOf(engine)).rejects.toMatchObject({ code: "model-missing" });
    await engine.load(fakeModel(), noStop());
    expect(await answerOf(engine)).toBe("answer to session");
  });

  test("tokens are counted, with no child for no texts, and while a chat runs", async () => {
    const engine = fakeEngine();
    expect(await engine.count([])).toEqual([]);
    expect(engine.pid).toBeUndefined();
    const stop = new AbortController();
    const model = fakeModel({ chat: [{ text: "a" }, { "until-abort": true }] });
    const counts: number[][] = [];
    await collect(engine.chat(aRequest(), stop.signal, model), async ({ type }) => {
      if (type !== "text") return;
      counts.push(await engine.count(["four", ""], model));
      stop.abort();
    });
    expect(counts).toEqual([[4, 0]]);
  });

  test.each([{ value: [-1] }, { value: [1, 2] }, { value: "one" }])(
    "a count of $value for one text is not believed",
    async ({ value }) => {
      const model = fakeModel({ count: [{ reply: { type: "done", value } }, { stuck: true }] });
      await expect(fakeEngine().count(["one"], model)).rejects.toMatchObject({ code: "provider-failed" });
    },
  );

  test("chats take their turns in the order they were asked for, whatever their model", async () => {
    const engine = fakeEngine();
    const slow = fakeModel({ chat: [{ wait: 30 }, { text: "slow" }] });
    const other = fakeModel({ chat: [{ text: "other" }] });
    const order: string[] = [];
    const ask = async (model: typeof slow) => void order.push(await answerOf(engine, model));
    await Promise.all([ask(slow), ask(slow), ask(other), ask(slow)]);
    expect(order).toEqual(["slow", "slow", "other", "slow"]);
  });

  test("a chat that waits in line leaves it at once when it is stopped", async () => {
    const engine = fakeEngine();
    const first = new AbortController();
    const second = new AbortController();
    const model = fakeModel({ chat: [{ text: "a" }, { "until-abort": true }] });
    const ended: string[] = [];
    const note = (name: string) => (events: ModelEvent[]) =>
      void ended.push(`${name} ${JSON.stringify(events.at(-1))}`);
    const running = collect(
      engine.chat(aRequest(), first.signal, model),
      ({ type }) => type === "text" && second.abort(),
    );
    const waiting = collect(engine.chat(aRequest(), second.signal, model));
    await waiting.then(note("second")).then(() => first.abort());
    await running.then(note("first"));
    const finish = '{"type":"finish","reason":"aborted"}';
    expect(ended).toEqual([`second ${finish}`, `first ${finish}`]);
  });

  test("a reader who leaves the stream stops the chat, and the next one is answered", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ chat: [[{ text: "a" }, { "until-abort": true }], [{ text: "next" }]] });
    for await (const event of engine.chat(aRequest(), noStop(), model)) if (event.type === "text") break;
    const { pid } = engine;
    expect(await answerOf(engine, model)).toBe("next");
    expect(engine.pid).toBe(pid);
  });

  test("a chat that hears no stop is killed, and what came of it is kept", async () => {
    const engine = fakeEngine({ limits: { stopMs: 50 } });
    const stop = new AbortController();
    const model = fakeModel({ chat: [[{ text: "half" }, { stuck: true }], [{ text: "next" }]] });
    const events = await collect(engine.chat(aRequest(), stop.signal, model), () => stop.abort());
    expect(events).toEqual([
      { type: "text", text: "half" },
      { type: "finish", reason: "aborted" },
    ]);
    expect(await answerOf(engine, model)).toBe("next");
  });

  test("a stop before the beginning starts nothing", async () => {
    const engine = fakeEngine();
    const events = await collect(engine.chat(aRequest(), AbortSignal.abort(), fakeModel()));
    expect(events).toEqual([{ type: "finish", reason: "aborted" }]);
    expect(engine.pid).toBeUndefined();
  });

  test("an answer that ends without a finish is a failure", async () => {
    const model = fakeModel({ chat: [{ text: "half" }, { end: true }] });
    await expect(answerOf(fakeEngine(), model)).rejects.toMatchObject({ code: "provider-failed" });
  });

  test("a file that has gone is said so, although it was loaded", async () => {
    const engine = fakeEngine();
    const model = fakeModel();
    await engine.load(model, noStop());
    rmSync(model.path);
    await expect(answerOf(engine, model)).rejects.toMatchObject({ code: "model-missing" });
  });
});

describe("the end", () => {
  test("a model that nobody uses is unloaded, and the next chat loads it again", async () => {
    const engine = fakeEngine({ idleMinutes: () => 0.002 });
    const model = fakeModel();
    expect(await answerOf(engine, model)).toBe("answer to session");
    await vi.waitFor(() => expect(engine.pid).toBeUndefined(), patient);
    expect(await answerOf(engine)).toBe("answer to session");
  });

  test("a long answer is no idleness, nor is a long count", async () => {
    const engine = fakeEngine({ idleMinutes: () => 0.001 });
    const model = fakeModel({ chat: [{ wait: 300 }, { text: "late" }], count: [{ wait: 300 }] });
    expect(await answerOf(engine, model)).toBe("late");
    expect(await engine.count(["text"], model)).toEqual([4]);
  });

  test("unloading ends the child and its answer", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ chat: [[{ text: "a" }, { stuck: true }], [{ text: "again" }]] });
    const stream = collect(engine.chat(aRequest(), noStop(), model), () => void engine.unload(model.path));
    await expect(stream).rejects.toMatchObject({ code: "aborted" });
    expect(engine.pid).toBeUndefined();
    expect(await answerOf(engine, model)).toBe("again");
  });

  test("unloading another model than the one there does nothing", async () => {
    const engine = fakeEngine();
    await engine.load(fakeModel(), noStop());
    const { pid } = engine;
    await engine.unload("/another/model.gguf");
    expect(engine.pid).toBe(pid);
    await engine.unload();
    expect(engine.pid).toBeUndefined();
  });

  test("a closed engine has no child, ends what runs and what waits, and starts nothing more", async () => {
    const engine = fakeEngine();
    const model = fakeModel({ chat: [{ text: "a" }, { stuck: true }] });
    let pid = 0;
    const running = collect(engine.chat(aRequest(), noStop(), model), () => {
      pid = engine.pid ?? 0;
      void engine.close();
    });
    const settled = await Promise.allSettled([running, answerOf(engine, model)]);
    expect(settled).toMatchObject([{ reason: { code: "aborted" } }, { reason: { code: "aborted" } }]);
    await isGone(pid);
    await expect(answerOf(engine, model)).rejects.toMatchObject({ code: "aborted" });
    expect(engine.pid).toBeUndefined();
  });

  test("closing does not wait for a load", async () => {
    const engine = fakeEngine();
    const loading = engine.load(fakeModel({ load: [{ stuck: true }] }), noStop());
    const settled = expect(loading).rejects.toMatchObject({ code: "aborted" });
    await wait(50);
    await engine.close();
    await settled;
  });
});
