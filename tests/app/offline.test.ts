import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createStore } from "../../src/main/db/store.ts";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { cli, lares, startProgram } from "./lares.ts";
import { can } from "./linux.ts";

const cannotUnplug = !can("unshare", "-n", "true");
const cannotTrace = !can("strace", "-f", "-e", "trace=connect", "true");
const question = "What is the capital of France?";

let model = "";
beforeAll(async () => {
  model = await starterModel();
}, 600_000);

/** Runs a Node program with all its children, and gives every system call that named an internet address. */
async function watch(args: readonly string[], home = temporaryFolder(), unplugged = false) {
  const trace = join(home, "trace");
  const calls = "trace=connect,sendto,sendmsg,sendmmsg";
  const watching = ["strace", "-f", "-qq", "-e", calls, "-o", trace, process.execPath, ...args];
  const [program = "", ...rest] = unplugged ? ["unshare", "-n", ...watching] : watching;
  const { code, out, aside } = await startProgram(program, rest, { env: { LARES_HOME: home } }).ended;
  const addresses = readFileSync(trace, "utf8").split("\n");
  return { code, out, aside, addresses: addresses.filter((line) => /sa_family=AF_INET6?\b/.test(line)) };
}

describe("without a network", () => {
  test.skipIf(cannotUnplug)("ask answers (skipped where unshare -n is not allowed)", async () => {
    const args = ["ask", "--model", model, question];
    const { code, out } = await lares(temporaryFolder(), args, { under: ["unshare", "-n"] });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Paris") });
  });

  test.skipIf(cannotTrace)("ask does not even try to reach anyone (skipped where strace is missing)", async () => {
    const asked = await watch([cli, "ask", "--model", model, question]);
    expect(asked).toMatchObject({ code: 0, out: expect.stringContaining("Paris"), addresses: [] });
    const careless = 'fetch("http://192.0.2.1/", { signal: AbortSignal.timeout(500) }).catch(() => 0)';
    expect((await watch(["-e", careless])).addresses).toEqual([expect.stringContaining("192.0.2.1")]);
  });

  test.skipIf(cannotTrace || cannotUnplug).each([
    ["in an empty network", true],
    ["in Local mode on a computer with a network", false],
  ] as const)(
    "%s a first run with a file, a chat, a document, a restart and the way back complete, and nobody is tried to be reached",
    async (_, unplugged) => {
      const home = temporaryFolder();
      const workspace = temporaryFolder();
      writeFileSync(join(workspace, "trip.txt"), "The meeting with Dr. Lopez was moved to 14 March 2025 in room 6.");
      const run = (...args: string[]) => watch([cli, ...args], home, unplugged);
      const chat = ["--session", "s", "--workspace", workspace];
      const flows = [
        { args: ["models", "use", model], says: "" },
        { args: ["models", "list"], says: "SmolLM2" },
        { args: ["ask", ...chat, question], says: "Paris" },
        { args: ["ask", ...chat, "On what date is the meeting in trip.txt?"], says: "14 March" },
        { args: ["ask", ...chat, "What is the capital of Japan?"], says: "Tokyo" },
        { args: ["recover"], says: "" },
        { args: ["doctor"], says: "" },
        { args: ["network"], says: "0 connections" },
      ];
      for (const { args, says } of flows) {
        const ran = await run(...args);
        expect({ args, ...ran }).toMatchObject({ code: 0, out: expect.stringContaining(says), addresses: [] });
      }
    },
    240_000,
  );

  /** A data folder with a cloud model whose stored place lies: only the door is left to hold it back. */
  function withCloudModel(settings: object): string {
    const home = temporaryFolder();
    const store = createStore(join(home, "lares.db"));
    const connection = {
      id: "c1",
      vendor: "custom",
      name: "Far",
      baseUrl: "http://far.invalid",
      place: "this-computer",
    };
    const sizes = { window: 8192, maxOutputTokens: 256, vision: false, tools: false };
    const preset = { id: "p1", name: "Far away", connectionId: "c1", model: "m", ...sizes };
    store.setSetting("cloud", JSON.stringify({ connections: [connection], presets: [preset] }));
    store.setSetting("settings", JSON.stringify(settings));
    store.close();
    return home;
  }
  function ledgerOf(home: string) {
    const store = createStore(join(home, "lares.db"));
    const rows = store.ledgerRows({ limit: 10 });
    store.close();
    return rows.map(({ host, outcome, error }) => ({ host, outcome, error }));
  }

  test.skipIf(cannotTrace)(
    "a cloud model is refused in Local mode without even its name being looked up (skipped where strace is missing)",
    async () => {
      const home = withCloudModel({});
      const refused = await watch([cli, "ask", "--model", "cloud:p1", question], home);
      expect(refused).toMatchObject({ aside: expect.stringContaining("Local mode"), addresses: [] });
      expect(refused.code).not.toBe(0);
      expect(ledgerOf(home)).toEqual([{ host: "far.invalid", outcome: "refused", error: "local-mode" }]);

      const open = withCloudModel({ localMode: false, requestSeconds: 5 });
      const tried = await watch([cli, "ask", "--model", "cloud:p1", question], open);
      expect(tried.addresses.length).toBeGreaterThan(0);
    },
    120_000,
  );
});
