import { randomBytes } from "node:crypto";
import {
  existsSync,
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
import { aDeskHome, aModelDesk, type DeskHome, quietEngine, type TestDesk } from "../../../tests/support/model-desk.ts";
import { AppError } from "../../shared/errors.ts";
import type { ModelDeskOptions } from "./model-desk.ts";

const content = Buffer.concat([Buffer.from("GGUF"), randomBytes(300_000)]);

let folder: string;
let elsewhere: string;
let home: DeskHome;
let desk: TestDesk;

const restart = async (more: Partial<ModelDeskOptions> = {}) => {
  await desk?.close();
  desk = aModelDesk(home, "http://127.0.0.1:1", more);
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lares-own-"));
  elsewhere = join(folder, "my models 家");
  mkdirSync(elsewhere);
  home = aDeskHome(folder);
  desk = aModelDesk(home, "http://127.0.0.1:1");
});
afterEach(async () => {
  await desk.close();
  rmSync(folder, { recursive: true });
});

const mine = (name: string, bytes: Buffer | string = content) => {
  writeFileSync(join(elsewhere, name), bytes);
  return join(elsewhere, name);
};
const inside = (name = "") => join(folder, "models", name);
const list = async () => (await desk.list()).models.map(({ id, state, held }) => ({ id, state, held }));
const unchanged = (path: string) => {
  const before = JSON.stringify([statSync(path).mtimeMs, statSync(path).size, readFileSync(path).equals(content)]);
  return () =>
    JSON.stringify([statSync(path).mtimeMs, statSync(path).size, readFileSync(path).equals(content)]) === before;
};

describe("a file of one's own, used where it is", () => {
  test("is in the list, also of the next run, until it is taken off, and is never touched", async () => {
    const path = mine("Mine.gguf");
    const isUnchanged = unchanged(path);
    expect(await desk.add({ path, copy: false })).toEqual({ modelId: path });
    await restart();
    expect(await list()).toEqual([{ id: path, state: "here", held: undefined }]);
    await desk.remove(path);
    expect(await list()).toEqual([]);
    expect(isUnchanged()).toBe(true);
  });

  test("that has vanished is said to have, and can be taken off the list", async () => {
    const path = mine("Mine.gguf");
    await desk.add({ path, copy: false });
    rmSync(path);
    expect(await list()).toEqual([
      { id: path, state: "absent", held: expect.stringContaining("is not there any more") },
    ]);
    await expect(desk.use(path)).rejects.toMatchObject({ code: "model-missing" });
    await desk.remove(path);
    expect(await list()).toEqual([]);
  });

  test("that is the default and taken off the list is not the default any more", async () => {
    const path = mine("Mine.gguf");
    await desk.use(path);
    expect(home.settings.model).toBe(path);
    await desk.remove(path);
    expect([home.settings.model, desk.calls.unloaded]).toEqual([undefined, [path]]);
  });

  test("is let be tried again with safer settings", async () => {
    const path = mine("Mine.gguf");
    await desk.add({ path, copy: false });
    await desk.release(path, true);
    await desk.release(path, false);
    expect(desk.calls.released).toEqual([`${path} safely`, path]);
  });
});

describe("a file of one's own, copied", () => {
  test("is a file of the models folder, and the original stays as it was", async () => {
    const path = mine("Mine.gguf");
    const isUnchanged = unchanged(path);
    expect(await desk.add({ path, copy: true })).toEqual({ modelId: "Mine.gguf" });
    expect(readFileSync(inside("Mine.gguf")).equals(content)).toBe(true);
    expect(statSync(inside("Mine.gguf")).ino).not.toBe(statSync(path).ino);
    expect([isUnchanged(), readdirSync(inside())]).toEqual([true, ["Mine.gguf"]]);
    expect(desk.states("Mine.gguf")).toEqual(["fetching", "here"]);
    expect(desk.told.at(-1)).toMatchObject({ done: content.length, total: content.length });
  });

  test("does not take the place of one that is there", async () => {
    mkdirSync(inside());
    writeFileSync(inside("Mine.gguf"), "GGUF, another one");
    await expect(desk.add({ path: mine("Mine.gguf"), copy: true })).rejects.toMatchObject({ code: "bad-request" });
    expect(readFileSync(inside("Mine.gguf"), "utf8")).toBe("GGUF, another one");
  });

  test("is refused before a byte is written where it does not fit", async () => {
    await restart({ freeBytes: async () => 1000 });
    const added = desk.add({ path: mine("Mine.gguf"), copy: true });
    // Where the disk can share the bytes of both files, a copy takes no room.
    const code = await added.then(
      () => "shared",
      (thrown) => thrown.code,
    );
    expect(["disk-full", "shared"]).toContain(code);
    if (code === "disk-full") expect(existsSync(inside("Mine.gguf"))).toBe(false);
  });

  test("can be stopped, and leaves nothing", async () => {
    const path = mine("Large.gguf", Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(60_000_000)]));
    await restart({ onFetch: ({ modelId, state, done }) => state === "fetching" && done > 0 && desk.pause(modelId) });
    const outcome = await desk.add({ path, copy: true }).then(
      () => "shared",
      (thrown) => thrown.code,
    );
    expect(["aborted", "shared"]).toContain(outcome);
    if (outcome === "aborted") expect(readdirSync(inside())).toEqual([]);
  });
});

describe("a split file of one's own", () => {
  const names = [1, 2].map((at) => `Mine-0000${at}-of-00002.gguf`);

  test("is one model, whichever part is given, and is copied whole", async () => {
    for (const name of names) mine(name);
    expect(await desk.add({ path: join(elsewhere, names[1] ?? ""), copy: true })).toEqual({ modelId: names[0] });
    expect(readdirSync(inside())).toEqual(names);
    expect((await desk.list()).models).toMatchObject([{ id: names[0], name: "Mine", bytes: 2 * content.length }]);
    await desk.remove(names[0] ?? "");
    expect(readdirSync(inside())).toEqual([]);
  });

  test("without one of its parts is refused, and the part is named", async () => {
    const path = mine(names[0] ?? "");
    for (const copy of [true, false]) {
      await expect(desk.add({ path, copy })).rejects.toMatchObject({
        code: "model-missing",
        message: expect.stringContaining(names[1] ?? ""),
      });
    }
    await expect(desk.explain(path)).rejects.toMatchObject({ code: "model-missing" });
  });
});

describe("a file that is no model", () => {
  test.each([
    ["that is not there", "none.gguf", undefined, "model-missing"],
    ["that is empty", "empty.gguf", "", "model-invalid"],
    ["that is a web page", "page.gguf", "<html>", "model-invalid"],
  ])("%s is not added", async (_what, name, bytes, code) => {
    const path = bytes === undefined ? join(elsewhere, name) : mine(name, bytes);
    await expect(desk.add({ path, copy: false })).rejects.toMatchObject({ code });
    expect(await list()).toEqual([]);
  });

  test("by what its header says is not added either", async () => {
    const engine = quietEngine({
      inspect: async () => {
        throw new AppError("model-invalid", "Its header is cut.");
      },
    });
    await restart({ engine });
    await expect(desk.add({ path: mine("Mine.gguf"), copy: true })).rejects.toMatchObject({ code: "model-invalid" });
    expect(existsSync(inside())).toBe(false);
  });
});

test("what a file says of itself is read once, and weighed with the settings there are", async () => {
  const path = mine("Mine.gguf");
  const looked: string[] = [];
  const { inspect, ...engine } = quietEngine();
  const watched = async (one: string) => {
    looked.push(one);
    return inspect(one);
  };
  await restart({ engine: { ...engine, inspect: watched } });
  const facts = await desk.explain(path);
  expect(facts).toMatchObject({
    path,
    name: "Tiny",
    tools: true,
    trainedWindow: 4096,
    fit: "well",
    largestWindow: 4096,
  });
  expect(facts).not.toHaveProperty("shape");
  home.settings = { ...home.settings, contextTokens: 1024 };
  const smaller = await desk.explain(path);
  expect([smaller.memory.cache < facts.memory.cache, looked]).toEqual([true, [path]]);
});

test("a model that is held back says why in the list", async () => {
  mkdirSync(inside());
  writeFileSync(inside("Bad.gguf"), content);
  await restart({ engine: quietEngine({ held: async () => "It crashed twice." }) });
  expect(await list()).toEqual([{ id: "Bad.gguf", state: "here", held: "It crashed twice." }]);
});
