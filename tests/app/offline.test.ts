import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
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
async function watch(args: readonly string[]) {
  const home = temporaryFolder();
  const trace = join(home, "trace");
  const calls = "trace=connect,sendto,sendmsg,sendmmsg";
  const { code, out } = await startProgram(
    "strace",
    ["-f", "-qq", "-e", calls, "-o", trace, process.execPath, ...args],
    { env: { LARES_HOME: home } },
  ).ended;
  const addresses = readFileSync(trace, "utf8").split("\n");
  return { code, out, addresses: addresses.filter((line) => /sa_family=AF_INET6?\b/.test(line)) };
}

describe("without a network", () => {
  test.skipIf(cannotUnplug)("ask answers (skipped where unshare -n is not allowed)", async () => {
    const args = ["ask", "--model", model, question];
    const { code, out } = await lares(temporaryFolder(), args, { under: ["unshare", "-n"] });
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("Paris") });
  });

  test.skipIf(cannotTrace)("ask does not even try to reach anyone (skipped where strace is missing)", async () => {
    const asked = await watch([cli, "ask", "--model", model, question]);
    expect(asked).toEqual({ code: 0, out: expect.stringContaining("Paris"), addresses: [] });
    const careless = 'fetch("http://192.0.2.1/", { signal: AbortSignal.timeout(500) }).catch(() => 0)';
    expect((await watch(["-e", careless])).addresses).toEqual([expect.stringContaining("192.0.2.1")]);
  });
});
