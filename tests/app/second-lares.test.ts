import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { findAddress } from "../../src/main/net/local-address.ts";
import { builtApp } from "../support/built-app.ts";
import { trade } from "../support/loopback.ts";
import { anApp } from "../support/page.ts";
import { scriptedProvider } from "../support/scripted-provider.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { cli, eventsOf, type Options, soundWith, startProgram, stored } from "./lares.ts";

const scripted = resolve("tests/app/scripted-app.ts");
const through = "Lares is open already: this goes through it.";

/** A data folder and the command line on it. */
function aHome(home = temporaryFolder()) {
  const start = (args: readonly string[], options: Options = {}) =>
    startProgram(process.execPath, [scripted, ...args], { ...options, env: { LARES_HOME: home } });
  const run = (...args: string[]) => start(args).ended;

  /** A Lares that is open, as a chat nobody types into yet. */
  async function opened(...args: string[]) {
    const chat = start(["chat", "--session", "first", ...args], { keepTyping: true });
    chat.child.stdin.write("hello\n");
    await chat.printed(/You said: hello/);
    return {
      ...chat,
      type: (line: string) => chat.child.stdin.write(`${line}\n`),
      leave: () => chat.child.stdin.end(),
    };
  }

  return { home, start, run, opened };
}

const said = (text: string) => [`user complete: ${text}`, `assistant complete: You said: ${text}`];

describe.skipIf(process.platform === "win32")("a second Lares on a data folder goes through the first", () => {
  test("ask is answered, says how, and everything is in the one store", async () => {
    const { home, run, opened } = aHome();
    const first = await opened();
    const second = await run("ask", "--session", "s", "--trace", "Do look around");
    expect(second).toMatchObject({ code: 0, out: "You said: Do look around\n" });
    expect(second.aside).toContain(through);
    expect(second.aside).toMatch(/restore ok.*→ list_files \{\}.*✓ list_files.*respond ok/s);
    expect(await run("ask", "  ")).toMatchObject({ code: 2, aside: expect.stringMatching(/empty/) });
    first.type("again");
    await first.printed(/You said: again/);
    first.leave();
    expect((await first.ended).code).toBe(0);
    expect(stored(home, "first")).toEqual(soundWith(...said("hello"), ...said("again")));
    expect(stored(home).rows).toEqual([
      "user complete: Do look around",
      "assistant complete: list_files({})",
      expect.stringMatching(/^tool complete/),
      "assistant complete: You said: Do look around",
    ]);
  });

  test("--json tells the same events as on one's own", async () => {
    const { run, opened } = aHome();
    const types = async () => {
      const { code, out } = await run("ask", "--json", "Do look around");
      expect(code).toBe(0);
      return eventsOf(out).map((event) => (event.type === "state" ? `${event.state} ${event.outcome}` : event.type));
    };
    const alone = await types();
    await opened();
    expect(await types()).toEqual(alone);
  });

  test("Ctrl-C stops the answer, 130, and what was written is kept", async () => {
    const { home, start, opened } = aHome();
    const first = await opened();
    const second = start(["ask", "--session", "s", "talk 3000"]);
    await second.printed(/word20/);
    second.child.kill("SIGINT");
    const { code, out, aside } = await second.ended;
    expect([code, aside]).toEqual([130, expect.stringContaining("Stopped. What was written is kept.")]);
    first.leave();
    await first.ended;
    const { rows, ...rest } = stored(home);
    expect(rest).toEqual({ problems: [], open: [] });
    expect(rows).toEqual(["user complete: talk 3000", `assistant incomplete: ${out.trimEnd()}`]);
  });

  test.each([["--model", "x.gguf"], ["--workspace", "/tmp"], ["--try-held"]])(
    "%s is refused: what is open was opened with its own",
    async (...flags) => {
      const { home, run, opened } = aHome();
      await opened();
      const { code, out, aside } = await run("ask", "--session", "s", ...flags, "Hello");
      expect([code, out]).toEqual([2, ""]);
      expect(aside).toMatch(new RegExp(`open already.*leave out ${flags[0]}, or close it`));
      expect(stored(home).rows).toEqual([]);
    },
  );

  test("a message for a busy chat joins the answer or follows it, and both see the end", async () => {
    const { home, start, run, opened } = aHome();
    const first = await opened();
    const second = start(["ask", "--session", "s", "talk 150"]);
    await second.printed(/word5 /);
    expect(await run("ask", "--session", "s", "and this")).toMatchObject({
      code: 0,
      out: expect.stringMatching(/You said: and this\n$/),
    });
    expect((await second.ended).code).toBe(0);
    first.leave();
    await first.ended;
    expect(stored(home)).toEqual(
      soundWith("user complete: talk 150", expect.stringMatching(/ word150 end\.$/), ...said("and this")),
    );
  });

  test("recover shows and goes on with what a crash left", async () => {
    const { home, start, run, opened } = aHome();
    const crashed = start(["ask", "--session", "s", "talk 3000"]);
    await crashed.printed(/word60 /); // longer than the quarter of a second after which it is on disk
    crashed.child.kill("SIGKILL");
    await crashed.ended;
    const first = await opened();
    const listed = await run("recover");
    expect(listed).toMatchObject({ code: 7, out: expect.stringMatching(/talk 3000 .*Written so far: *word1 word2/s) });
    const going = start(["recover", "--continue"]);
    await going.printed(/Going on with the interrupted answer\./);
    await going.printed(/word1 word2.*word\d+ word1 word2/s); // the words that were there, then those of the script
    going.child.kill("SIGINT");
    expect((await going.ended).code).toBe(130);
    first.leave();
    await first.ended;
    expect(stored(home).rows).toHaveLength(2);
    expect(stored(home).problems).toEqual([]);
  });

  test("serve gives an address of the page that is served, and says where to go when there is none", async () => {
    const { home, run, opened } = aHome();
    const built = join(await builtApp(), "out", "main", "cli.js"); // beside its page
    const env = { LARES_HOME: home };
    const served = startProgram(process.execPath, [built, "serve"], { keepTyping: true, env });
    await served.printed(/stops Lares\.\n/);
    const second = await run("serve");
    const [, address = ""] = /^Lares is open at (\S+)\n$/.exec(second.out) ?? [];
    expect(second.code).toBe(0);
    expect((await trade(address)).status).toBe(200);
    served.child.kill("SIGTERM");
    await served.ended;

    await opened();
    expect(await run("serve")).toMatchObject({
      code: 5,
      out: "",
      aside: expect.stringMatching(/no page.*close it first/),
    });
  });

  test("many at once are all answered, from one store", async () => {
    const { home, run } = aHome();
    const names = ["a", "b", "c", "d", "e", "f"];
    const ends = await Promise.all(names.map((name) => run("ask", "--session", name, `I am ${name}`)));
    expect(ends.map(({ code, out }) => [code, out])).toEqual(names.map((name) => [0, `You said: I am ${name}\n`]));
    for (const name of names) expect(stored(home, name)).toEqual(soundWith(...said(`I am ${name}`)));
  });
});

describe.skipIf(process.platform === "win32")("when the first Lares goes", () => {
  test("it waits for those who came after it, and nothing of theirs is cut off", async () => {
    const { home, start, opened } = aHome();
    const first = await opened();
    const second = start(["ask", "--session", "two", "talk 300"]);
    await second.printed(/word10 /);
    first.leave();
    await first.printed(/Another terminal goes through this one/);
    expect(await second.ended).toMatchObject({ code: 0, out: expect.stringMatching(/ word300 end\.\n$/) });
    expect((await first.ended).code).toBe(0);
    expect(stored(home, "two").rows.at(-1)).toMatch(/^assistant complete: .* word300 end\.$/);
    expect(existsSync(join(home, "lares.sock"))).toBe(false);
  });

  test("a chat that only sits there does not hold it, and goes on by itself", async () => {
    const { home, start, opened } = aHome();
    const first = await opened();
    const second = start(["chat", "--session", "s"], { keepTyping: true });
    second.child.stdin.write("one\n");
    await second.printed(/You said: one/);
    first.leave();
    expect((await first.ended).code).toBe(0);
    second.child.stdin.write("two\n");
    await second.printed(/You said: two/);
    second.child.stdin.end();
    expect((await second.ended).code).toBe(0);
    expect(stored(home)).toEqual(soundWith(...said("one"), ...said("two")));
  });

  test("by kill -9 during an answer: it is said, nothing hangs, and it can be gone on with", async () => {
    const { home, start, run, opened } = aHome();
    const first = await opened();
    const second = start(["ask", "--session", "s", "talk 3000"]);
    await second.printed(/word60 /);
    first.child.kill("SIGKILL");
    const { code, aside } = await second.ended;
    expect([code, aside]).toEqual([1, expect.stringMatching(/was closed.*recover/)]);
    expect((await run("recover")).code).toBe(7);
    expect((await run("recover", "--dismiss")).code).toBe(0);
    expect(stored(home).rows).toEqual([
      "user complete: talk 3000",
      expect.stringMatching(/^assistant incomplete: {2}word1/),
    ]);
  });

  test("or does not answer, it is waited for, and then it is busy", async () => {
    const { home, start, run, opened } = aHome();
    const first = await opened();
    first.child.kill("SIGSTOP");
    expect(await run("ask", "--wait", "0", "Hello")).toMatchObject({ code: 5, aside: expect.stringContaining(home) });
    const waiting = start(["ask", "--session", "s", "Hello"]);
    await waiting.printed(/Another Lares is using .* Waiting up to 60 s/);
    first.child.kill("SIGCONT");
    expect(await waiting.ended).toMatchObject({ code: 0, aside: expect.stringContaining(through) });
  });
});

interface Hostile {
  readonly what: string;
  readonly lines: readonly string[];
  /** Of the answer to each line; absent: there is none, or it does no harm. */
  readonly code?: string;
}
const hostile = JSON.parse(readFileSync("tests/hostile/local-socket.json", "utf8")) as Hostile[];

describe.skipIf(process.platform === "win32")("the socket of an open Lares", () => {
  test.each(hostile)("$what: nothing happens, and the next call is answered", async ({ lines, code }) => {
    const app = await anApp(scriptedProvider());
    onTestFinished(() => app.close());
    const socket = connect(findAddress(app.dataFolder));
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    let told = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      told += text;
    });
    for (const line of lines) socket.write(`${line}\n`);
    socket.write('{"id":99,"name":"app.hello","input":{}}\n');
    await expect.poll(() => told).toContain('{"id":99,');
    const replies = told
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(replies.at(-1)).toMatchObject({ id: 99, reply: { ok: true, value: { shell: "terminal" } } });
    const codes = replies.slice(0, -1).flatMap(({ reply }) => (reply.ok ? [] : [reply.error.code]));
    expect(codes).toEqual(code === undefined ? [] : lines.map(() => code));
    expect(Object.prototype).not.toHaveProperty("admin");
    expect(app.store.chats()).toEqual([]);
  });
});

test.skipIf(process.platform === "win32")("the real command line listens as well", async () => {
  const home = temporaryFolder();
  const env = { LARES_HOME: home };
  const chat = startProgram(process.execPath, [cli, "chat"], { keepTyping: true, env });
  chat.child.stdin.write("/status\n");
  await chat.printed(/Running: 0/);
  const second = await startProgram(process.execPath, [cli, "ask", "/status"], { env }).ended;
  expect(second).toMatchObject({ code: 0, out: expect.stringMatching(/^Running: 0/) });
  expect(second.aside).toContain(through);
});
