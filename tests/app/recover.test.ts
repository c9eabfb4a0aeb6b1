import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { createStore } from "../../src/main/db/store.ts";
import { aCrash } from "../support/crashed-turn.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { sayingModel } from "../support/tiny-models.ts";
import { startProgram, stored } from "./lares.ts";
import { ctrlC, ctrlD, enter, laresInTerminal, noTerminal } from "./pseudo-terminal.ts";

const scripted = resolve("tests/app/scripted-app.ts");

type Crash = ReturnType<typeof aCrash>;

/** A data folder after a crash: in each chat, named by its key, a turn was left as the function made it. */
function aCrashed(chats: Readonly<Record<string, (crash: Crash) => void>>) {
  const home = temporaryFolder();
  const store = createStore(join(home, "lares.db"));
  for (const [sessionId, make] of Object.entries(chats)) {
    make(aCrash(`Ask ${sessionId}`, { store, sessionId, turnId: `t-${sessionId}`, inboundId: `m-${sessionId}` }));
  }
  store.close();
  const run = (...args: string[]) =>
    startProgram(process.execPath, [scripted, ...args], { env: { LARES_HOME: home } }).ended;
  return { home, run };
}

const writing = (crash: Crash): void => {
  crash.asked();
  crash.half("Once upon a time\nthere was a lamp");
};

const calling = (crash: Crash): void => {
  crash.asked();
  crash.asks(
    { name: "look", class: "read", state: "finished" },
    { name: "send", class: "once", state: "running" },
    { name: "pay", class: "once", state: "running" },
    { name: "tidy", class: "idempotent", state: "requested" },
  );
};

/** The answer was whole, and nobody had seen it. */
const whole = (crash: Crash): void => {
  crash.asked();
  const { row, store, pass } = crash;
  store.append({ ...row, role: "assistant", status: "complete", parts: [{ type: "text", text: "All of it." }] });
  pass("run");
};

describe("recover", () => {
  test("tells of each turn what it is, what is done, what is unknown, what was not started and what was written", async () => {
    const { run } = aCrashed({ a: writing, b: calling });
    const { code, out, aside } = await run("recover");
    expect(code).toBe(7);
    expect(out).toMatch(/^1\. Ask a \(chat a\), .*\n {3}Interrupted before.*\n {3}Written so far: Once upon a time…\n/);
    expect(out).toMatch(
      /\n2\. Ask b \(chat b\).*Done: look\n.*happened \[1\]: send \{\}\n.*\[2\]: pay .*started: tidy\n$/s,
    );
    expect(aside).toMatch(/--happened, --not-happened or --again.*\n.*--session ID --continue goes on/);
    expect((await run("recover", "--session", "none")).aside).toBe("Nothing waits for you.\n");
  });

  test("of several chats does nothing until one is named, and then goes on with that one", async () => {
    const { home, run } = aCrashed({ a: writing, b: calling });
    const unnamed = await run("recover", "--continue");
    expect(unnamed).toMatchObject({ code: 2, out: "", aside: expect.stringMatching(/2 chats \(a, b\).*--session ID/) });
    expect(await run("recover", "--session", "a", "--continue")).toMatchObject({
      code: 0,
      out: "Once upon a time\nthere was a lampYou said: Ask a\n", // what was there before is the beginning of the answer
    });
    expect(stored(home, "a").rows[1]).toBe("assistant complete: Once upon a time\nthere was a lampYou said: Ask a");
    expect((await run("recover")).code).toBe(7);
  });

  test("after one of two decisions the other waits, also under its id; after both it goes on", async () => {
    const { home, run } = aCrashed({ b: calling });
    expect(await run("recover", "--happened", "send")).toMatchObject({ code: 7, out: "" });
    expect((await run("recover")).out).toMatch(/Done: look, send\n.*happened \[1\]: pay/s);
    expect(await run("recover", "--not-happened", "1")).toMatchObject({ code: 0, out: "You said: Ask b\n" });
    expect(stored(home, "b").rows.at(-1)).toBe("assistant complete: You said: Ask b");
  });

  test("decisions about all calls at once go on once", async () => {
    const { home, run } = aCrashed({ b: calling });
    const args = ["--continue", "--happened", "1", "--not-happened", "2"];
    expect(await run("recover", ...args)).toMatchObject({ code: 0, out: "You said: Ask b\n" });
    expect(stored(home, "b").rows.filter((row) => row.includes("You said"))).toHaveLength(1);
  });

  test.each([
    [["--continue", "--dismiss"], /exclude each other/],
    [["--happened", "1", "--again", "1"], /decided twice/],
    [["--happened", "9"], /no call 9 .*: 1, 2\./],
    [["now"], /takes no text/],
  ])("%j is refused, and nothing is decided", async (args, words) => {
    const { home, run } = aCrashed({ b: calling });
    expect(await run("recover", ...args)).toMatchObject({ code: 2, out: "", aside: expect.stringMatching(words) });
    expect((await run("recover")).out).toMatch(/\[1\]: send.*\[2\]: pay/s);
    expect(stored(home, "b").rows).toHaveLength(3);
  });

  test("a flag of recover is refused by ask", async () => {
    const { run } = aCrashed({ b: calling });
    expect(await run("ask", "--dismiss", "hi")).toMatchObject({ code: 2, aside: expect.stringMatching(/of recover/) });
  });

  test("an answer that was whole is delivered by the list, once; for a program it stays until it says so", async () => {
    const { run } = aCrashed({ w: whole });
    const json = await run("recover", "--json");
    expect(json.code).toBe(0);
    expect(JSON.parse(json.out)).toMatchObject({ recovery: "undelivered", written: [{ text: "All of it." }] });
    const { code, out } = await run("recover");
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/Ask w .*Finished while nobody was looking:\n {3}All of it\.\n$/s),
    ]);
    expect(await run("recover")).toMatchObject({ code: 0, out: "", aside: "Nothing waits for you.\n" });
  });

  test("an answer that was whole is delivered in its chat before the next one", async () => {
    const { run } = aCrashed({ w: whole });
    expect((await run("ask", "--session", "w", "Hi")).out).toBe("All of it.\nYou said: Hi\n");
    expect((await run("ask", "--session", "w", "Ho")).out).toBe("You said: Ho\n");
  });

  test("what waited behind a turn is answered before recover ends", async () => {
    const { home, run } = aCrashed({
      a(crash) {
        writing(crash);
        crash.store.accept({ id: "m2", sessionId: "a", channel: "test", text: "And then?", createdAt: 9 });
      },
    });
    expect((await run("recover", "--dismiss")).code).toBe(0);
    expect(stored(home, "a").rows).toEqual([
      "user complete: Ask a",
      "assistant incomplete: Once upon a time\nthere was a lamp",
      "user complete: And then?",
      "assistant complete: You said: And then?",
    ]);
  });

  test("a message of which nothing was stored is a draft, and its chat says so", async () => {
    const { run } = aCrashed({ d: () => undefined });
    const { aside } = await run("ask", "--session", "d", "/status");
    expect(aside).toContain("Your last message in this chat was not answered: it is a draft now.");
  });
});

describe.skipIf(noTerminal)(`recover in a terminal${noTerminal ? ` (skipped: ${noTerminal})` : ""}`, () => {
  test("asks about one turn after the other, and about each call that may have happened", async () => {
    const { home } = aCrashed({ a: writing, b: calling });
    const model = sayingModel(join(temporaryFolder(), "saying.gguf"), ["Here", " I am"]);
    const recover = laresInTerminal(home, ["recover", "--model", model]);
    await recover.printed(/Ask a .*\(c\)ontinue, \(d\)ismiss, or \(l\)ater\? /s);
    recover.type(`what${enter}`);
    await recover.printed(/what[^(]*\(c\)ontinue.*\(l\)ater\? /s);
    recover.type(`d${enter}`);
    await recover.printed(/Ask b .*\(c\)ontinue/s);
    recover.type(`c${enter}`);
    await recover.printed(/Did send \[1\] happen\? \(y\)es, \(n\)o, run it \(a\)gain, or \(l\)ater\? /);
    recover.type(`y${enter}`);
    await recover.printed(/Did pay \[2\] happen\?/);
    recover.type(`n${enter}`);
    await recover.printed(/Here I am/);
    expect((await recover.ended).code).toBe(0);
    expect(stored(home, "a").rows.at(-1)).toBe("assistant incomplete: Once upon a time\nthere was a lamp");
    const results = [/look is done/, /it did happen/, /it did not happen/, /tidy/, /^assistant complete: Here I am/];
    expect(stored(home, "b").rows.slice(2)).toEqual(results.map((words) => expect.stringMatching(words)));
  });

  test.each([
    ["Ctrl-D leaves the rest as it is", ctrlD, 7],
    ["Ctrl-C stops", ctrlC, 130],
  ])("%s: nothing is decided", async (_what, key, code) => {
    const { home, run } = aCrashed({ b: calling });
    const recover = laresInTerminal(home, ["recover"]);
    await recover.printed(/\(l\)ater\? /);
    recover.type(key);
    expect((await recover.ended).code).toBe(code);
    expect((await run("recover", "--json")).code).toBe(7);
  });
});
