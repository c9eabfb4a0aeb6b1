import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readCatalogue, starterEntry } from "./catalogue.ts";
import { findModel } from "./find-model.ts";
import { modelCacheFolder } from "./folders.ts";

let dataFolder: string;
let models: string;
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), "lares-find-"));
  models = join(dataFolder, "models");
  mkdirSync(models);
});
afterEach(() => rmSync(dataFolder, { recursive: true }));

const put = (...names: string[]) => {
  for (const name of names) writeFileSync(join(models, name), "");
};
const starter = starterEntry();

describe("the model that is used", () => {
  const rows: readonly [string, string[], string | undefined, string][] = [
    ["the starter model when nothing is wanted", ["a.gguf", starter.file], undefined, starter.file],
    ["the only one when nothing is wanted", ["a.gguf", "notes.txt"], undefined, "a.gguf"],
    ["the one of a catalogue id", ["a.gguf", starter.file], starter.id, starter.file],
    ["the one of a file name", ["a.gguf", starter.file], "a.gguf", "a.gguf"],
  ];
  test.each(rows)("is %s", async (_name, there, wanted, expected) => {
    put(...there);
    expect((await findModel({ dataFolder, wanted })).path).toBe(join(models, expected));
  });

  test("is the file of a path, wherever it is", async () => {
    const path = join(dataFolder, "elsewhere.gguf");
    writeFileSync(path, "");
    expect(await findModel({ dataFolder, wanted: path })).toEqual({ path });
  });

  test("is known by the catalogue only when it has the size of its entry", async () => {
    put(starter.file);
    expect(await findModel({ dataFolder })).toEqual({ path: join(models, starter.file) });
  });
});

describe("no model is found", () => {
  const rows: readonly [string, string[], string | undefined, RegExp][] = [
    [
      "in an empty folder",
      [],
      undefined,
      /^No model is chosen\. .*models has no model yet\. .*fetch the starter model\.$/,
    ],
    [
      "among several",
      ["b.gguf", "a.gguf"],
      undefined,
      /^No model is chosen\. In .*models: a\.gguf, b\.gguf\. Name a file/,
    ],
    ["by a wrong name", ["a.gguf"], "b.gguf", /^There is no model "b\.gguf" on this computer\. In .*: a\.gguf\./],
    ["by the id of one that is not here", ["a.gguf"], starter.id, /or fetch it \(98 MB\)\.$/],
    ["by the name of a folder", [], "/", /^There is no model "\/"/],
    ["by a way out of the folder", ["a.gguf"], "../models/a.gguf", /^There is no model/],
  ];
  test.each(rows)("%s, and it says what there is and what to do", async (_name, there, wanted, words) => {
    put(...there);
    await expect(findModel({ dataFolder, wanted })).rejects.toMatchObject({
      code: "model-missing",
      message: expect.stringMatching(words),
    });
  });

  test("in a data folder that does not exist", async () => {
    const promise = findModel({ dataFolder: join(dataFolder, "none") });
    await expect(promise).rejects.toMatchObject({ code: "model-missing" });
  });
});

describe("the catalogue", () => {
  test("begins with the starter model, pinned by size and hash, from the hub and from a package", () => {
    expect(readCatalogue()[0]).toMatchObject({ id: "smollm2-135m-instruct", licence: "Apache-2.0", bytes: 98_362_432 });
    expect(starter.sources.map(({ kind }) => kind)).toEqual(["hub", "python-package"]);
  });
});

describe("the shared cache", () => {
  test.each([
    [{ LARES_MODEL_CACHE: "/here", XDG_CACHE_HOME: "/xdg", HOME: "/me" }, "/here"],
    [{ XDG_CACHE_HOME: "/xdg", HOME: "/me" }, join("/xdg", "lares", "models")],
    [{ HOME: "/me" }, join("/me", ".cache", "lares", "models")],
    [{}, join(tmpdir(), "lares", "models")],
  ])("for %j is %s", (environment, expected) => {
    expect(modelCacheFolder(environment)).toBe(expected);
  });
});
