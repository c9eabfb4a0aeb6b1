import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createStore } from "../../src/main/db/store.ts";
import { brief } from "../support/agent.ts";
import { starterModel } from "../support/starter.ts";
import { eventsOf, type Options, startLares } from "./lares.ts";

const base = mkdtempSync(join(tmpdir(), "lares-terminal-"));
const workspace = join(base, "workspace");
let model = "";

beforeAll(async () => {
  model = await starterModel();
  mkdirSync(join(workspace, "notes"), { recursive: true });
  const trip =
    "Our trip to Porto starts on 3 May. The hotel is the Casa do Sol in Rua Augusta, with breakfast. We fly with TAP at 9:40.";
  writeFileSync(join(workspace, "notes", "trip.txt"), trip);
}, 600_000);
afterAll(() => rmSync(base, { recursive: true, force: true }));

let homes = 0;
/** A data folder with the starter model in it, as after a first start. */
function aHome({ withModel = true } = {}): string {
  const home = join(base, `home ${++homes} 家`);
  mkdirSync(join(home, "models"), { recursive: true });
  if (withModel) symlinkSync(model, join(home, "models", "SmolLM2-135M-Instruct.Q4_1.gguf"));
  return home;
}

const start = (home: string, args: readonly string[], options: Options = {}) =>
  startLares(home, [...args, "--workspace", workspace], options);
const lares = (home: string, args: readonly string[], options: Options = {}) => start(home, args, options).ended;

describe("ask", () => {
  test("answers Paris from the real model, with seven states, and everything is on disk", async () => {
    const home = aHome();
    const { code, out } = await lares(home, [
      "ask",
      "--yes",
      "--json",
      "--session",
      "s",
      "What is the capital of France?",
    ]);
    const events = eventsOf(out);
    expect(code).toBe(0);
    expect(events.filter(({ type }) => type === "state")).toHaveLength(7);
    expect(events.filter(({ type }) => type === "progress").length).toBeLessThan(100); // the library tells of each tensor
    expect(events[0]?.type).toBe("turn.started");
    const ended = events.at(-1);
    expect(ended).toMatchObject({
      type: "turn.ended",
      stopReason: "completed",
      text: expect.stringContaining("Paris"),
    });
    const streamed = events.map((event) => (event.type === "delta" ? event.text : "")).join("");
    expect(ended?.type === "turn.ended" && ended.text).toBe(streamed);
    const store = createStore(join(home, "lares.db"));
    expect(store.page("s", { limit: 10 }).map(brief)).toEqual([
      "user complete: What is the capital of France?",
      expect.stringMatching(/^assistant complete: .*Paris/),
    ]);
    expect(store.trace(store.lastTurn("s")?.id ?? "")).toHaveLength(7);
    expect(store.check()).toEqual([]);
    store.close();
  }, 60_000);

  test("/status takes the shortcut: three states", async () => {
    const { code, out } = await lares(aHome(), ["ask", "--json", "/status"]);
    expect(code).toBe(0);
    expect(eventsOf(out).filter(({ type }) => type === "state")).toHaveLength(3);
  });

  test("a file that the message names is read, shown, and answered from", async () => {
    const { code, out, aside } = await lares(aHome(), ["ask", "What does notes/trip.txt say about the hotel?"]);
    expect(code).toBe(0);
    expect(aside).toMatch(/→ read_file \{"path":"notes\/trip.txt"\} \(named in your message\)/);
    expect(out).toMatch(/Casa do Sol|Augusta|breakfast/i);
  }, 60_000);

  test("the conversation goes on in the same chat, and the answer alone is on standard output", async () => {
    const home = aHome();
    const first = await lares(home, ["ask", "--session", "s", "What is the capital of Japan?"]);
    expect(first.out).toMatch(/Tokyo.*\n$/);
    const second = await lares(home, ["ask", "--session", "s", "--trace", "What is the opposite of hot?"]);
    expect(second.out).toMatch(/cold/i);
    expect(second.aside).toMatch(/restore ok[\s\S]*respond ok/);
  }, 60_000);

  test("text from standard input, in Chinese, is taken as it is", async () => {
    const home = aHome();
    await lares(home, ["ask", "--session", "s", "-"], { input: "你好，请说“好”。" });
    const store = createStore(join(home, "lares.db"));
    expect(brief(store.page("s", { limit: 1, before: 2 })[0]!)).toBe("user complete: 你好，请说“好”。");
    expect(store.search("你好", { limit: 5 })).toHaveLength(1);
    store.close();
  }, 60_000);
});

describe("chat", () => {
  test("answers line by line, also commands, and ends with its input", async () => {
    const { code, out } = await lares(aHome(), ["chat"], {
      input: "What is the capital of France?\n\n/status\n/new\n/trace\n",
    });
    expect(code).toBe(0);
    expect(out).toMatch(/Paris[\s\S]*Running: 0[\s\S]*A new chat[\s\S]*Nothing has been answered/);
  }, 60_000);
});

describe("what goes wrong has words and a code", () => {
  test.each<[string, string[], number, RegExp]>([
    ["an unknown flag", ["ask", "--colour", "red"], 2, /--colour/],
    ["an unknown command", ["aks", "hi"], 2, /no command "aks"/],
    ["a blank message", ["ask", "   "], 2, /empty/],
    ["no message", ["ask"], 2, /empty/],
    ["a session that is no name", ["ask", "--session", "../x", "hi"], 2, /--session/],
    ["a wait that is no number", ["ask", "--wait", "soon", "hi"], 2, /--wait/],
    ["a model that is not there", ["ask", "--model", "nope.gguf", "hi"], 3, /nope\.gguf/],
    ["text after chat", ["chat", "hi"], 2, /ask "hi"/],
  ])("%s", async (_name, args, code, words) => {
    const ran = await lares(aHome({ withModel: false }), args);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.aside).toMatch(words);
  });

  test("no model and nobody to ask: the message is kept, and the next step is said", async () => {
    const home = aHome({ withModel: false });
    const { code, aside } = await lares(home, ["ask", "--session", "s", "hi"]);
    expect(code).toBe(3);
    expect(aside).toMatch(/--yes fetches SmolLM2.*98 MB.*--model FILE.*Your message is kept/s);
    const store = createStore(join(home, "lares.db"));
    expect(store.page("s", { limit: 9 }).map(brief)).toEqual([
      "user complete: hi",
      "assistant incomplete: !model-missing",
    ]);
    store.close();
  });

  test("--help lists the flags", async () => {
    expect(await lares(aHome({ withModel: false }), ["--help"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("--workspace DIR"),
    });
  });

  test("a data folder that is a file", async () => {
    const file = join(base, "a file");
    writeFileSync(file, "x");
    const ran = await lares(file, ["ask", "hi"]);
    expect(ran.code).toBe(4);
    expect(ran.aside).toContain(file);
  });

  test("a data folder of a newer version is not touched", async () => {
    const home = aHome();
    createStore(join(home, "lares.db")).close();
    const { default: Sqlite } = await import("better-sqlite3");
    const db = new Sqlite(join(home, "lares.db"));
    db.pragma("user_version = 999");
    db.close();
    expect(await lares(home, ["ask", "hi"])).toMatchObject({ code: 4, aside: expect.stringMatching(/newer/i) });
  });

  test("a second process waits and says so, or gives up with its own code", async () => {
    const home = aHome();
    const script = `import("${resolve("src/main/db/lock.ts")}").then(async ({ lockDataFolder }) => { await lockDataFolder(process.argv[1], { waitMs: 0 }); console.log("held"); setInterval(() => {}, 1000); });`;
    const holder = spawn(process.execPath, ["-e", script, home], { stdio: ["ignore", "pipe", "inherit"] });
    await once(holder.stdout, "data");
    expect(await lares(home, ["ask", "--wait", "0.2", "hi"])).toMatchObject({
      code: 5,
      aside: expect.stringContaining(home),
    });
    const waiting = start(home, ["ask", "--wait", "30", "/status"]);
    await waiting.printed(/Another Lares.*Waiting/);
    holder.kill("SIGKILL");
    expect(await waiting.ended).toMatchObject({ code: 0 });
  });
});
