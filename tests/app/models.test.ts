import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createStore } from "../../src/main/db/store.ts";
import { builtApp } from "../support/built-app.ts";
import { type StandInHub, startHub } from "../support/hub.ts";
import { sayingModel } from "../support/tiny-models.ts";
import { lares, startLares, startProgram } from "./lares.ts";

// The real command line over a stand-in for the hub, with a model that llama.cpp reads.

let base: string;
let home: string;
let hub: StandInHub;
let model: Buffer;
const name = "someone/Small-GGUF/Small-Q4_K_M.gguf";
const file = "Small-Q4_K_M.gguf";

beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "lares-models-"));
  home = join(base, "home");
  model = readFileSync(sayingModel(join(base, file), [" Hello."]));
  hub = await startHub({ "someone/Small-GGUF": { files: { [file]: model }, licence: "mit", downloads: 3 } });
});
afterEach(async () => {
  await hub.close();
  rmSync(base, { recursive: true });
});

const env = () => ({ HF_ENDPOINT: hub.url, LARES_MODEL_CACHE: join(base, "cache") });
const models = (...words: string[]) => lares(home, ["models", ...words], { env: env() });
const events = (out: string) =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe("lares models", () => {
  test("lists what there is and how it fits, for people and for programs", async () => {
    const { code, out } = await models("list");
    expect([code, out]).toEqual([0, expect.stringMatching(/^smollm2-135m-instruct +98 MB +fits/)]);
    const { out: json } = await models("list", "--json");
    expect(events(json)[0]).toMatchObject({ type: "model", id: "smollm2-135m-instruct", state: "absent" });
  });

  test("finds a model of the hub, gets it in Local mode, explains it, uses it and removes it", async () => {
    expect(await models("search", "small")).toMatchObject({ code: 0, out: expect.stringContaining(`${name}  Q4_K_M`) });
    expect(await models("get", name)).toMatchObject({ code: 0, out: expect.stringContaining(`${file} is here`) });
    expect(readFileSync(join(home, "models", file)).equals(model)).toBe(true);
    const info = await models("info", file);
    expect(info).toMatchObject({
      code: 0,
      out: expect.stringMatching(/window, has no tools of its own[\s\S]*It fits well/),
    });
    expect(await models("use", file)).toMatchObject({ code: 0, out: expect.stringContaining("New chats use") });
    expect((await models("list")).out).toMatch(/Small-Q4_K_M\.gguf +here .*in use/);
    expect(await models("remove", file)).toMatchObject({ code: 0 });
    expect(existsSync(join(home, "models", file))).toBe(false);
    expect((await models("list")).out).not.toContain(file);
  }, 60_000);

  test("leaves the search and the download in the ledger", async () => {
    await models("search", "small");
    await models("get", name);
    const store = createStore(join(home, "lares.db"));
    const rows = store.ledgerRows({ limit: 100 }).map(({ purpose, outcome }) => `${purpose} ${outcome}`);
    store.close();
    expect(new Set(rows)).toEqual(new Set(["hub-search done", "download done"]));
  }, 30_000);

  test("uses a file where it is, and never changes it", async () => {
    const path = join(base, file);
    const before = [statSync(path).mtimeMs, statSync(path).size];
    expect(await models("use", path)).toMatchObject({ code: 0 });
    expect((await models("list")).out).toContain(`${path}  here`);
    await models("remove", path);
    expect([statSync(path).mtimeMs, statSync(path).size]).toEqual(before);
    expect((await models("list")).out).not.toContain(path);
  }, 30_000);

  test("says the reason of a file that is no model, and goes on living", async () => {
    const path = join(base, "broken.gguf");
    writeFileSync(path, model.subarray(0, 300));
    expect(await models("info", path)).toMatchObject({
      code: 3,
      out: "",
      aside: expect.stringContaining("broken.gguf"),
    });
    mkdirSync(join(base, "folder.gguf"));
    expect(await models("info", join(base, "folder.gguf"))).toMatchObject({ code: 3 });
  }, 30_000);

  test.each([
    [["get", "nothing"], 2, "no model"],
    [["get", "someone/Small-GGUF/Other.gguf"], 2, "has no Other.gguf"],
    [["get", "no/body/Other.gguf"], 2, "does not have it"],
    [["get"], 2, "one more word"],
    [["make"], 2, "There are: models list"],
    [["remove", "nothing"], 2, "no model"],
    [["use", "nothing.gguf"], 3, "nothing.gguf"],
    [["__proto__", "x"], 2, "There are: models list"],
  ])("%j ends with code %d and says why", async (words, code, reason) => {
    expect(await models(...words)).toMatchObject({ code, aside: expect.stringContaining(reason) });
  });

  test("ends a download that fails with its reason, as people and as programs read it", async () => {
    const wrong = Buffer.from(model);
    wrong.writeUInt8(1, wrong.length - 1);
    hub.fail({ body: wrong, status: 200 });
    expect(await models("get", name)).toMatchObject({ code: 3, aside: expect.stringMatching(/SHA-256 differs/) });
    hub.fail({ status: 403 });
    const { code, out } = await models("get", name, "--json");
    expect([code, events(out).at(-1)]).toMatchObject([3, { type: "error", error: { code: "download-failed" } }]);
    expect(existsSync(join(home, "models", file))).toBe(false);
  }, 30_000);

  test("pauses with Ctrl-C, says how to go on, and goes on where it stopped", async () => {
    const half = Math.floor(model.length / 2);
    hub.fail({ stallAfter: half });
    const { child, ended } = startLares(home, ["models", "get", name, "--json"], { env: env() });
    let seen = "";
    child.stdout.on("data", (text: string) => {
      seen += text;
    });
    await expect.poll(() => seen, { timeout: 10_000 }).toMatch(new RegExp(`"done":${half}`));
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 130, aside: expect.stringContaining("goes on with it") });
    expect(await models("get", file)).toMatchObject({ code: 0 });
    expect(hub.requests.at(-1)).toMatch(new RegExp(`bytes=${half}-$`));
  }, 30_000);

  test("goes through the Lares that is open", async () => {
    const built = join(await builtApp(), "out", "main", "cli.js"); // beside its page
    const open = startProgram(process.execPath, [built, "serve"], {
      env: { ...env(), LARES_HOME: home },
      keepTyping: true,
    });
    await open.printed(/#t=/);
    const got = await models("get", name);
    expect(got).toMatchObject({ code: 0, aside: expect.stringContaining("goes through it") });
    expect(existsSync(join(home, "models", file))).toBe(true);
    open.child.kill("SIGTERM");
    expect(await open.ended).toMatchObject({ code: 0 });
  }, 30_000);
});
