import { randomBytes } from "node:crypto";
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
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aDoor } from "../../../tests/support/door.ts";
import { type StandInHub, type StandInRepository, startHub } from "../../../tests/support/hub.ts";
import { aDeskHome, aModelDesk, type DeskHome, type TestDesk } from "../../../tests/support/model-desk.ts";
import { entryFor } from "../../../tests/support/model-fixture.ts";
import type { Errand } from "../net/errand.ts";
import type { ModelDeskOptions } from "./model-desk.ts";

const model = (size = 200_000) => Buffer.concat([Buffer.from("GGUF"), randomBytes(size - 4)]);
const tiny = model();
const parts = [model(90_000), model(80_000), model(70_000)] as const;
const split = (at: number) => `big/Big-Q8_0-0000${at}-of-00003.gguf`;
const repositories = {
  "someone/Tiny-GGUF": {
    files: { "Tiny-Q4_K_M.gguf": tiny, "README.gguf.txt": tiny },
    licence: "apache-2.0",
    downloads: 7,
  },
  "else/Tiny-GGUF": { files: { "Tiny-Q4_K_M.gguf": model(150_000) } },
  "someone/Big-GGUF": { files: { [split(1)]: parts[0], [split(2)]: parts[1], [split(3)]: parts[2] } },
} satisfies Record<string, StandInRepository>;
const tinyFile = { repository: "someone/Tiny-GGUF", file: "Tiny-Q4_K_M.gguf" };

let folder: string;
let home: DeskHome;
let hub: StandInHub;
let desk: TestDesk;

const restart = async (more: Partial<ModelDeskOptions> = {}) => {
  await desk?.close();
  desk = aModelDesk(home, hub.url, more);
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lares-hub-"));
  home = aDeskHome(folder);
  hub = await startHub(repositories);
  desk = aModelDesk(home, hub.url);
});
afterEach(async () => {
  await desk.close();
  await hub.close();
  rmSync(folder, { recursive: true });
});

const inModels = (name: string) => join(folder, "models", name);
const isHere = (id: string) => expect.poll(() => desk.states(id).at(-1)).toBe("here");
const card = async (id: string) => (await desk.list()).models.find((one) => one.id === id);

describe("a file of the hub", () => {
  test("is fetched with the hash that the hub gave before, and is a model of the list with its licence", async () => {
    const { modelId } = await desk.fetchFile(tinyFile);
    await isHere(modelId);
    expect(modelId).toBe("Tiny-Q4_K_M.gguf");
    expect(readFileSync(inModels(modelId)).equals(tiny)).toBe(true);
    expect(await card(modelId)).toMatchObject({ state: "here", licence: "apache-2.0", bytes: 200_000, untried: true });
    expect(desk.home.settings.model).toBe(modelId);
    expect(hub.requests.map((line) => line.replace(/\w{64}/, "hash"))).toEqual([
      "/api/models/someone/Tiny-GGUF/revision/main",
      expect.stringMatching(/^\/someone\/Tiny-GGUF\/resolve\/c0ffee0+\/Tiny-Q4_K_M\.gguf$/),
      "/lfs/hash",
    ]);
  });

  test("leaves a row of the ledger for each connection, made by hand in Local mode", async () => {
    const { modelId } = await desk.fetchFile(tinyFile);
    await isHere(modelId);
    expect(desk.door.rows().map(({ purpose, outcome }) => `${purpose} ${outcome}`)).toEqual(
      Array.from({ length: 3 }, () => "download done"),
    );
  });

  test("that changed on the hub meanwhile still comes as it was ordered, or not at all", async () => {
    hub.fail({ stallAfter: 100_000 });
    const { modelId } = await desk.fetchFile(tinyFile);
    await expect.poll(() => desk.told.at(-1)?.done).toBeGreaterThan(0);
    desk.pause(modelId);
    await expect.poll(() => desk.states(modelId).at(-1)).toBe("paused");
    hub.replace("someone/Tiny-GGUF", "Tiny-Q4_K_M.gguf", model());
    await restart();
    await desk.fetch(modelId);
    await expect.poll(() => desk.states(modelId).at(-1)).toBe("failed");
    expect(desk.told.at(-1)?.error?.code).toBe("hash-mismatch");
    expect(existsSync(inModels(modelId))).toBe(false);
  });

  test("of another Lares run is there as paused with its bytes, and goes on where it stopped", async () => {
    hub.fail({ stallAfter: 100_000 });
    const { modelId } = await desk.fetchFile(tinyFile);
    await expect.poll(() => desk.told.at(-1)?.done).toBeGreaterThan(0);
    await restart();
    expect(await card(modelId)).toMatchObject({ state: "paused", done: 100_000, bytes: 200_000 });
    await desk.fetch(modelId);
    await isHere(modelId);
    expect(hub.requests.at(-1)).toMatch(/bytes=100000-$/);
  });

  test("and another one with the same name both come, under names that tell them apart", async () => {
    const orders = [desk.fetchFile(tinyFile), desk.fetchFile({ ...tinyFile, repository: "else/Tiny-GGUF" })];
    const [one, other] = await Promise.all(orders);
    expect([one?.modelId, other?.modelId]).toEqual(["Tiny-Q4_K_M.gguf", "else-Tiny-GGUF-Tiny-Q4_K_M.gguf"]);
    await isHere("Tiny-Q4_K_M.gguf");
    await isHere("else-Tiny-GGUF-Tiny-Q4_K_M.gguf");
    expect(statSync(inModels("else-Tiny-GGUF-Tiny-Q4_K_M.gguf")).size).toBe(150_000);
  });

  test("that is ordered twice is one download", async () => {
    const orders = await Promise.all([desk.fetchFile(tinyFile), desk.fetchFile(tinyFile)]);
    expect(new Set(orders.map(({ modelId }) => modelId)).size).toBe(1);
    await isHere("Tiny-Q4_K_M.gguf");
    expect(hub.requests.filter((line) => line.startsWith("/lfs/"))).toHaveLength(1);
  });

  test("of the catalogue is that entry", async () => {
    const entry = entryFor(tiny, { sources: [{ kind: "hub", revision: "main", ...tinyFile }] });
    await restart({ catalogue: [entry] });
    expect(await desk.fetchFile(tinyFile)).toEqual({ modelId: "tiny" });
  });

  test("does not overwrite what is there under its name", async () => {
    mkdirSync(join(folder, "models"));
    writeFileSync(inModels("Tiny-Q4_K_M.gguf"), "GGUF, of somebody");
    const { modelId } = await desk.fetchFile(tinyFile);
    await isHere(modelId);
    expect(modelId).toBe("someone-Tiny-GGUF-Tiny-Q4_K_M.gguf");
    expect(readFileSync(inModels("Tiny-Q4_K_M.gguf"), "utf8")).toBe("GGUF, of somebody");
  });

  test.each([
    ["a repository that is not there", { ...tinyFile, repository: "no/body" }, "not-found"],
    ["a file that is not there", { ...tinyFile, file: "Other.gguf" }, "not-found"],
    ["a file without a hash", { ...tinyFile, file: "README.gguf.txt" }, "bad-request"],
    ["a path that leads out", { ...tinyFile, file: "../../Tiny-Q4_K_M.gguf" }, "bad-request"],
    ["a name that is none", { ...tinyFile, repository: "someone" }, "bad-request"],
  ])("is refused with the reason where it is %s, and leaves nothing", async (_what, file, code) => {
    await expect(desk.fetchFile(file)).rejects.toMatchObject({ code });
    expect(existsSync(join(folder, "models")) ? readdirSync(join(folder, "models")) : []).toEqual([]);
  });

  test.each([
    [401, "Use another one, or put the file into the models folder"],
    [403, "Use another one, or put the file into the models folder"],
  ])("behind a gate (%d) says what else can be done", async (status, words) => {
    hub.failCalls({ status });
    await expect(desk.fetchFile(tinyFile)).rejects.toMatchObject({ message: expect.stringContaining(words) });
  });

  test("is refused where a web page answers for the hub", async () => {
    hub.failCalls({ status: 200, headers: { "content-type": "text/html" }, body: "<html>Sign in</html>" });
    await expect(desk.fetchFile(tinyFile)).rejects.toMatchObject({ message: expect.stringContaining("sign-in page") });
  });

  test("is asked for again when the hub has trouble for a moment", async () => {
    hub.failCalls({ status: 503 });
    const { modelId } = await desk.fetchFile(tinyFile);
    await isHere(modelId);
    expect(hub.requests.filter((line) => line.includes("/revision/"))).toHaveLength(2);
  });

  test("goes out by hand only, to the mirror that the person named and to nothing else inside", async () => {
    const errands: Errand[] = [];
    const door = aDoor();
    const visit = (errand: Errand) => {
      errands.push(errand);
      return door.visit(errand);
    };
    await restart({ door: { ...door, visit } });
    await desk.search("tiny");
    const { modelId } = await desk.fetchFile(tinyFile);
    await isHere(modelId);
    const granted = new URL(hub.url).origin;
    expect(new Set(errands.map((errand) => JSON.stringify(errand)))).toEqual(
      new Set(["hub-search", "download"].map((purpose) => JSON.stringify({ purpose, byHand: true, granted }))),
    );
  });

  test("is not fetched where the mirror sends on to another place inside, and that is said", async () => {
    const store = await startHub(repositories);
    await hub.close();
    hub = await startHub(repositories, { storage: store.url });
    await restart();
    const { modelId } = await desk.fetchFile(tinyFile);
    await expect.poll(() => desk.states(modelId).at(-1)).toBe("failed");
    expect(desk.told.at(-1)?.error?.message).toContain("Only an address that you typed");
    expect(store.requests).toEqual([]);
    await store.close();
  });
});

describe("a split model", () => {
  const first = "Big-Q8_0-00001-of-00003.gguf";
  const bytesOfPart = (at: number) =>
    globSync(inModels(`Big-Q8_0-0000${at}-of-00003.gguf.part*/body`)).reduce(
      (sum, path) => sum + statSync(path).size,
      0,
    );
  const names = [1, 2, 3].map((at) => `Big-Q8_0-0000${at}-of-00003.gguf`);

  test("comes as one download with all its parts, and is one model of the list", async () => {
    const { modelId } = await desk.fetchFile({ repository: "someone/Big-GGUF", file: split(1) });
    await isHere(modelId);
    expect(modelId).toBe(first);
    expect(names.map((name) => statSync(inModels(name)).size)).toEqual([90_000, 80_000, 70_000]);
    const { models } = await desk.list();
    expect(models).toMatchObject([{ id: first, name: "Big-Q8_0", bytes: 240_000, state: "here" }]);
    expect(desk.told.at(-1)).toMatchObject({ done: 240_000, total: 240_000 });
  });

  test("is ordered by any of its parts", async () => {
    const { modelId } = await desk.fetchFile({ repository: "someone/Big-GGUF", file: split(2) });
    await isHere(first);
    expect(modelId).toBe(first);
  });

  test("goes on with the part that was missing", async () => {
    hub.fail({}, { stallAfter: 30_000 });
    const { modelId } = await desk.fetchFile({ repository: "someone/Big-GGUF", file: split(1) });
    await expect.poll(() => bytesOfPart(2)).toBe(30_000);
    await restart();
    expect(await card(modelId)).toMatchObject({ state: "paused", done: 120_000 });
    await desk.fetch(modelId);
    await isHere(modelId);
    expect(hub.requests.filter((line) => line.startsWith("/lfs/"))).toHaveLength(4);
  });

  test("leaves nothing of itself when it is cancelled, and can be begun again", async () => {
    hub.fail({}, { stallAfter: 30_000 });
    const { modelId } = await desk.fetchFile({ repository: "someone/Big-GGUF", file: split(1) });
    await expect.poll(() => bytesOfPart(2)).toBe(30_000);
    await desk.cancel(modelId);
    expect(readdirSync(join(folder, "models"))).toEqual([]);
    expect([desk.fetches(), desk.told.at(-1)]).toMatchObject([[], { state: "paused", done: 0 }]);
    await desk.fetchFile({ repository: "someone/Big-GGUF", file: split(1) });
    await isHere(modelId);
  });

  test("is not begun where it does not fit as a whole", async () => {
    await restart({ freeBytes: async () => 64 * 2 ** 20 + 200_000 });
    const { modelId } = await desk.fetchFile({ repository: "someone/Big-GGUF", file: split(1) });
    await expect.poll(() => desk.states(modelId).at(-1)).toBe("failed");
    expect(desk.told.at(-1)?.error?.code).toBe("disk-full");
    expect(hub.requests.filter((line) => line.startsWith("/lfs/"))).toEqual([]);
  });

  test("with a part that is missing on the hub is refused", async () => {
    await hub.close();
    hub = await startHub({ "someone/Big-GGUF": { files: { [split(1)]: parts[0], [split(3)]: parts[2] } } });
    await restart();
    await expect(desk.fetchFile({ repository: "someone/Big-GGUF", file: split(1) })).rejects.toMatchObject({
      code: "not-found",
      message: expect.stringContaining("00002-of-00003"),
    });
  });
});
