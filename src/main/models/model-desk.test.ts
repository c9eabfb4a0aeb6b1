import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Answer, type FaultServer, startFaultServer } from "../../../tests/support/fault-server.ts";
import { aDeskHome, aModelDesk, type DeskHome, type TestDesk } from "../../../tests/support/model-desk.ts";
import { entryFor } from "../../../tests/support/model-fixture.ts";
import { ModelCard } from "../../shared/views.ts";
import { readCatalogue } from "./catalogue.ts";
import type { ModelDeskOptions } from "./model-desk.ts";

const content = randomBytes(400_000);
const sources = entryFor(content).sources.slice(0, 1);
const entry = entryFor(content, { sources, about: { en: "Tiny.", "zh-CN": "很小。" } });

let folder: string;
let modelsFolder: string;
let hub: FaultServer;
let home: DeskHome;
let desk: TestDesk;

const restart = (more: Partial<ModelDeskOptions> = {}) => {
  desk = aModelDesk(home, hub.url, { catalogue: [entry], ...more });
};
const startHub = async (...script: Answer[]) => {
  hub = await startFaultServer(content, script);
  restart();
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-desk-"));
  modelsFolder = join(folder, "models");
  home = aDeskHome(folder);
});
afterEach(async () => {
  await desk.close();
  await hub.close();
  rmSync(folder, { recursive: true });
});

const put = (name: string, bytes: Buffer | string) => {
  mkdirSync(modelsFolder, { recursive: true });
  writeFileSync(join(modelsFolder, name), bytes);
  return join(modelsFolder, name);
};
const state = () => desk.told.at(-1)?.state;
const cards = async () => (await desk.list()).models.map((card) => ModelCard.parse(card));
const card = async () => (await cards())[0];

describe("a download", () => {
  test("tells how it goes, ends here, and makes the model the default when there was none", async () => {
    await startHub({ dripMs: 30 });
    await desk.fetch("tiny");
    expect(desk.fetches()).toMatchObject([{ modelId: "tiny", state: "fetching", total: 400_000 }]);
    await expect.poll(state).toBe("here");
    expect(desk.told[0]).toMatchObject({ state: "fetching", done: 0 });
    expect(desk.told.some(({ state, done }) => state === "fetching" && done > 0 && done < 400_000)).toBe(true);
    expect(desk.told.some(({ bytesPerSecond }) => bytesPerSecond > 0)).toBe(true);
    expect(desk.told.at(-1)).toEqual({
      modelId: "tiny",
      state: "here",
      done: 400_000,
      total: 400_000,
      bytesPerSecond: 0,
    });
    expect(home.settings.model).toBe("tiny");
    expect(await card()).toMatchObject({ state: "here", done: 400_000, chosen: true });
  });

  test("leaves the default alone when there is one", async () => {
    await startHub({});
    home.settings = { ...home.settings, model: "other.gguf" };
    await desk.fetch("tiny");
    await expect.poll(state).toBe("here");
    expect(home.settings.model).toBe("other.gguf");
  });

  test("that is started twice runs once", async () => {
    await startHub({ dripMs: 10 });
    await desk.fetch("tiny");
    await desk.fetch("tiny");
    await expect.poll(state).toBe("here");
    expect(hub.requests).toHaveLength(1);
  });

  test("is paused with what came, and goes on there", async () => {
    await startHub({ stallAfter: 150_000 }, {});
    await desk.fetch("tiny");
    await expect.poll(async () => (await desk.list()).models[0]?.state).toBe("fetching");
    await expect.poll(() => bytesThere()).toBe(150_000);
    desk.pause("tiny");
    await expect.poll(state).toBe("paused");
    expect(desk.told.at(-1)).toMatchObject({ done: 150_000, bytesPerSecond: 0 });
    expect(await card()).toMatchObject({ state: "paused", done: 150_000, chosen: false });
    await desk.fetch("tiny");
    await expect.poll(state).toBe("here");
    expect(hub.requests.at(-1)?.range).toBe("bytes=150000-");
  });

  test("that is paused and started at once goes on, and says nothing of the pause", async () => {
    await startHub({ stallAfter: 150_000 }, {});
    await desk.fetch("tiny");
    await expect.poll(() => bytesThere()).toBe(150_000);
    desk.pause("tiny");
    await desk.fetch("tiny");
    await expect.poll(state).toBe("here");
    expect(desk.told.map((one) => one.state)).not.toContain("paused");
  });

  test("of the Lares before is there as paused, even when that one was killed, and goes on", async () => {
    await startHub({ stallAfter: 150_000 }, {});
    const script = join(import.meta.dirname, "../../../tests/support/fetch-child.ts");
    writeFileSync(join(folder, "content"), content);
    const child = spawn(process.execPath, [script, join(folder, "content"), modelsFolder], {
      env: { HF_ENDPOINT: hub.url, LARES_MODEL_CACHE: join(folder, "cache") },
    });
    await expect.poll(() => bytesThere(), { timeout: 10_000 }).toBe(150_000);
    child.kill("SIGKILL");
    await once(child, "exit");

    expect(await card()).toMatchObject({ state: "paused", done: 150_000 });
    expect(desk.fetches()).toEqual([]);
    await desk.fetch("tiny");
    await expect.poll(state).toBe("here");
    expect(hub.requests.at(-1)?.range).toBe("bytes=150000-");
  });

  test("that brings the wrong bytes fails with the reason, and can be tried again", async () => {
    await startHub({ body: randomBytes(content.length) }, {});
    await desk.fetch("tiny");
    await expect.poll(state).toBe("failed");
    expect(desk.told.at(-1)).toMatchObject({ done: 0, error: { code: "hash-mismatch" } });
    expect(await card()).toMatchObject({ state: "absent" });
    await desk.fetch("tiny");
    await expect.poll(state).toBe("here");
    expect(desk.told.at(-1)).not.toHaveProperty("error");
  });

  test("ends with the app, and lets go of its part", async () => {
    await startHub({ stallAfter: 150_000 });
    await desk.fetch("tiny");
    await expect.poll(() => bytesThere()).toBe(150_000);
    await desk.close();
    expect(existsSync(join(modelsFolder, `${entry.file}.part`, "body"))).toBe(true);
  });

  test("of a model that the catalogue does not have is refused", async () => {
    await startHub({});
    await expect(desk.fetch("nothing")).rejects.toMatchObject({ code: "not-found" });
  });

  const bytesThere = () =>
    Math.max(0, ...globSync(join(modelsFolder, "*.part*", "body")).map((path) => statSync(path).size));
});

describe("the list", () => {
  test("has the catalogue first, with what it says of itself, then the other files", async () => {
    await startHub({});
    put("Big.gguf", "GGUF and more");
    put("notes.txt", "no model");
    expect(await cards()).toEqual([
      {
        id: "tiny",
        name: "Tiny",
        licence: "MIT",
        about: { en: "Tiny.", "zh-CN": "很小。" },
        bytes: 400_000,
        memoryBytes: expect.any(Number),
        memory: { weights: 400_000, cache: expect.any(Number), compute: expect.any(Number) },
        largestWindow: 8192,
        untried: false,
        fit: "well",
        suggested: true,
        chosen: false,
        state: "absent",
        done: 0,
      },
      expect.objectContaining({
        id: "Big.gguf",
        name: "Big",
        bytes: 13,
        suggested: false,
        state: "here",
        chosen: true,
      }),
    ]);
  });

  test("has a file that is chosen and lies elsewhere", async () => {
    await startHub({});
    const path = join(folder, "elsewhere.gguf");
    writeFileSync(path, "GGUF");
    await desk.use(path);
    expect((await cards()).at(-1)).toMatchObject({ id: path, name: "elsewhere", chosen: true });
  });

  test("takes a file with the name of the catalogue and another size for what it is", async () => {
    await startHub({});
    put(entry.file, "GGUF");
    expect((await cards()).map(({ id, state }) => `${id} ${state}`)).toEqual(["tiny absent", `${entry.file} here`]);
  });

  test.each([
    [200e6, "too-big"],
    [500e6, "tight"],
    [2e9, "well"],
  ])("says of a computer with %d bytes that the model fits %s", async (memoryBytes, fit) => {
    await startHub({});
    restart({ computer: () => ({ total: memoryBytes }) });
    expect(await desk.list()).toMatchObject({ memoryBytes, models: [{ fit }] });
  });

  test("counts the window, as far as the model was trained for it", async () => {
    await startHub({});
    restart({ catalogue: [{ ...entry, memory: { bytesPerToken: 1000, trainedTokens: 4096 } }] });
    expect((await card())?.memory.cache).toBe(4_096_000);
    home.settings = { ...home.settings, contextTokens: 1000 };
    expect((await card())?.memory.cache).toBe(1_000_000);
  });
});

describe("the model of new chats", () => {
  test("is a file of the folder, by its name", async () => {
    await startHub({});
    const path = put("Big.gguf", "GGUF and more");
    expect(await desk.use("Big.gguf")).toEqual({ name: "Big" });
    expect([home.settings.model, desk.calls.released]).toEqual(["Big.gguf", [path]]);
  });

  test("is one of the catalogue, by its id", async () => {
    await startHub({});
    const model = Buffer.concat([Buffer.from("GGUF"), content.subarray(4)]);
    restart({ catalogue: [entryFor(model)] });
    put(entry.file, model);
    expect(await desk.use(entry.file)).toEqual({ name: "Tiny" });
    expect(home.settings.model).toBe("tiny");
  });

  test.each([
    ["is not there", "nothing.gguf", undefined, "model-missing"],
    ["is empty", "empty.gguf", "", "model-invalid"],
    ["is shorter than its magic", "short.gguf", "GG", "model-invalid"],
    ["is a web page", "page.gguf", "<!doctype html>", "model-invalid"],
  ])("is not one that %s", async (_what, name, text, code) => {
    await startHub({});
    if (text !== undefined) put(name, text);
    await expect(desk.use(name)).rejects.toMatchObject({ code, message: expect.stringContaining(name) });
    expect(home.settings.model).toBeUndefined();
  });

  test("is not a folder", async () => {
    await startHub({});
    mkdirSync(join(modelsFolder, "folder.gguf"), { recursive: true });
    await expect(desk.use("folder.gguf")).rejects.toMatchObject({ code: "model-invalid" });
  });
});

test("every model that ships says what it is good at, and what it takes", () => {
  for (const shipped of readCatalogue()) expect(shipped).toMatchObject({ about: {}, memory: {} });
});
