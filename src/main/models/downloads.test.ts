import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type StandInHub, startHub } from "../../../tests/support/hub.ts";
import { aDeskHome, aModelDesk, type TestDesk } from "../../../tests/support/model-desk.ts";
import { entryFor } from "../../../tests/support/model-fixture.ts";
import { type ModelEntry, type ModelSource, readCatalogue } from "./catalogue.ts";
import type { ModelDeskOptions } from "./model-desk.ts";

const contents = ["a", "b", "c"].map((id) => ({
  id,
  content: Buffer.concat([Buffer.from("GGUF"), randomBytes(99_996)]),
}));
const catalogue = contents.map(({ id, content }): ModelEntry => {
  const file = `${id}.gguf`;
  const sources: ModelSource[] = [{ kind: "hub", repository: `x/${id}`, revision: "main", file }];
  return entryFor(content, { id, file, sources });
});

let folder: string;
let hub: StandInHub;
let desk: TestDesk;

const start = (more: Partial<ModelDeskOptions> = {}) => {
  desk = aModelDesk(aDeskHome(folder), hub.url, { catalogue, ...more });
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lares-downloads-"));
  hub = await startHub(
    Object.fromEntries(contents.map(({ id, content }) => [`x/${id}`, { files: { [`${id}.gguf`]: content } }])),
  );
  start();
});
afterEach(async () => {
  await desk.close();
  await hub.close();
  rmSync(folder, { recursive: true });
});

const inside = (name = "") => join(folder, "models", name);
const isHere = (id: string) => expect.poll(() => desk.states(id).at(-1)).toBe("here");
const fetches = () => hub.requests.filter((line) => line.startsWith("/lfs/"));

describe("several downloads", () => {
  test("run two at a time, and the next begins when one is over", async () => {
    hub.fail({ stallAfter: 50_000 }, { stallAfter: 50_000 });
    for (const id of ["a", "b", "c"]) await desk.fetch(id);
    await expect.poll(() => fetches()).toHaveLength(2);
    expect(desk.fetches().map(({ modelId, state }) => `${modelId} ${state}`)).toEqual([
      "a fetching",
      "b fetching",
      "c queued",
    ]);
    expect((await desk.list()).models.map(({ state }) => state)).toEqual(["fetching", "fetching", "fetching"]);
    desk.pause("a");
    await isHere("c");
    expect(desk.states("c")).toEqual(["queued", "fetching", "here"]);
    expect(desk.states("a").at(-1)).toBe("paused");
  });

  test("that wait can be paused, and do not take the place of others then", async () => {
    hub.fail({ stallAfter: 50_000 }, { stallAfter: 50_000 });
    for (const id of ["a", "b", "c"]) await desk.fetch(id);
    desk.pause("c");
    await expect.poll(() => desk.states("c")).toEqual(["queued", "paused"]);
    desk.pause("a");
    await expect.poll(() => desk.states("a").at(-1)).toBe("paused");
    await desk.fetch("c");
    await isHere("c");
  });
});

describe("a download that is cancelled", () => {
  test("leaves nothing, and is begun anew", async () => {
    hub.fail({ stallAfter: 50_000 });
    await desk.fetch("a");
    await expect.poll(() => desk.told.at(-1)?.done).toBeGreaterThan(0);
    await desk.cancel("a");
    expect([readdirSync(inside()), desk.fetches()]).toEqual([[], []]);
    expect(desk.told.at(-1)).toMatchObject({ modelId: "a", state: "paused", done: 0 });
    await desk.fetch("a");
    await isHere("a");
    expect(fetches().at(-1)).not.toContain("bytes=");
  });

  test("of an earlier run is thrown away too", async () => {
    hub.fail({ stallAfter: 50_000 });
    await desk.fetch("a");
    await expect.poll(() => desk.told.at(-1)?.done).toBeGreaterThan(0);
    await desk.close();
    start();
    await desk.cancel("a");
    expect(readdirSync(inside())).toEqual([]);
  });

  test("when it is whole already stays", async () => {
    await desk.fetch("a");
    await isHere("a");
    await desk.cancel("a");
    expect(existsSync(inside("a.gguf"))).toBe(true);
  });
});

describe("a model of the catalogue without a hash", () => {
  const [pinned] = catalogue;
  const { sha256: _unknown, ...unpinned } = pinned ?? entryFor(Buffer.from(""));
  beforeEach(async () => {
    await desk.close();
    start({ catalogue: [{ ...unpinned, bytes: 12_345, untried: true }] });
  });

  test("is checked with the hash and the size that the hub gives before, which are kept", async () => {
    await desk.fetch("a");
    await isHere("a");
    expect(desk.told.at(-1)).toMatchObject({ done: 100_000, total: 100_000 });
    const origin = JSON.parse(readFileSync(inside("a.gguf.origin.json"), "utf8"));
    expect(origin).toMatchObject({ repository: "x/a", files: [{ bytes: 100_000, sha256: pinned?.sha256 }] });
    expect((await desk.list()).models[0]).toMatchObject({ bytes: 100_000, state: "here", untried: true });
  });

  test("is refused when other bytes come", async () => {
    hub.fail({ body: randomBytes(100_000), status: 200 });
    await desk.fetch("a");
    await expect.poll(() => desk.states("a").at(-1)).toBe("failed");
    expect([desk.told.at(-1)?.error?.code, existsSync(inside("a.gguf"))]).toEqual(["hash-mismatch", false]);
  });

  test("fails with the reason when the hub does not tell its hash", async () => {
    hub.failCalls({ status: 404 });
    await desk.fetch("a");
    await expect.poll(() => desk.states("a").at(-1)).toBe("failed");
    expect([desk.told.at(-1)?.error?.code, fetches()]).toEqual(["not-found", []]);
  });
});

test("a model that is here already is not fetched again", async () => {
  await desk.fetch("a");
  await isHere("a");
  await desk.fetch("a");
  await expect.poll(() => desk.states("a").filter((state) => state === "here")).toHaveLength(2);
  expect(fetches()).toHaveLength(1);
});

test("a model that is removed while it is fetched leaves nothing", async () => {
  hub.fail({ stallAfter: 50_000 });
  await desk.fetch("a");
  await expect.poll(() => desk.told.at(-1)?.done).toBeGreaterThan(0);
  await desk.remove("a");
  expect(readdirSync(inside())).toEqual([]);
  await expect(desk.remove("nothing")).rejects.toMatchObject({ code: "not-found" });
});

test("the suggested model is the best for everyone that takes at most a quarter of the memory", async () => {
  await desk.close();
  for (const [gigabytes, id] of [
    [2, "smollm2-135m-instruct"],
    [8, "qwen2.5-1.5b-instruct"],
    [24, "qwen3-4b"],
    [64, "qwen3-8b"],
  ] as const) {
    desk = aModelDesk(aDeskHome(folder), hub.url, {
      catalogue: readCatalogue(),
      computer: () => ({ total: gigabytes * 1e9 }),
    });
    expect((await desk.list()).models.flatMap((card) => (card.suggested ? [card.id] : []))).toEqual([id]);
  }
});
