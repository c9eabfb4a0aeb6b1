import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { aDoor } from "../../../tests/support/door.ts";
import { type StandInHub, startHub } from "../../../tests/support/hub.ts";
import { AppError } from "../../shared/errors.ts";
import { createHub } from "./hub.ts";
import { quantisationOf, searchHub } from "./hub-search.ts";

type Name = string | { repeat: string; times: number; ending: string } | { many: number; name: string };
interface Row {
  readonly id: string;
  readonly what: string;
  readonly siblings?: readonly Name[];
  readonly entries?: readonly unknown[];
  readonly licence?: unknown;
  readonly sha?: string;
  readonly description?: Record<string, unknown>;
  readonly body?: string;
  readonly found?: { many: number; id: string } | { ids: string[] } | { raw: unknown };
  /** The files that are shown; or the code of the error. */
  readonly expected?: readonly string[];
  readonly error?: string;
}
const rows: Row[] = JSON.parse(readFileSync("tests/hostile/hub.json", "utf8"));
const hash = "a".repeat(64);

let hub: StandInHub | undefined;
afterEach(() => hub?.close());

const name = "someone/Model";
const namesOf = (one: Name): string[] => {
  if (typeof one === "string") return [one];
  if ("many" in one) return Array.from({ length: one.many }, () => one.name);
  return [one.repeat.repeat(one.times) + one.ending];
};
const siblingsOf = ({ siblings = ["good-Q4_K_M.gguf"], entries }: Row): unknown[] =>
  entries
    ? JSON.parse(JSON.stringify(entries).replaceAll("HASH", hash))
    : siblings.flatMap(namesOf).map((rfilename) => ({ rfilename, lfs: { sha256: hash, size: 1000 } }));

function foundOf({ found }: Row): unknown {
  if (!found) return [{ id: name, downloads: 3 }];
  if ("raw" in found) return found.raw;
  if ("ids" in found) return found.ids.map((id) => ({ id }));
  return Array.from({ length: found.many }, () => ({ id: found.id }));
}

async function answersLike(row: Row) {
  const description = {
    ...{ siblings: siblingsOf(row), ...(row.sha !== undefined && { sha: row.sha }) },
    ...(row.licence !== undefined && { cardData: { license: row.licence } }),
    ...row.description,
  };
  hub = await startHub({ [name]: { files: {}, description } }, { found: foundOf(row) });
  if (row.body !== undefined) hub.failCalls(...[{}, { status: 200, body: row.body }].slice(row.found ? 0 : 1));
  const one = createHub({ door: aDoor(), environment: { HF_ENDPOINT: hub.url } });
  return { one, signal: AbortSignal.timeout(20_000) };
}

const weigh = () => ({ memory: { weights: 1, cache: 1, compute: 1 }, fit: "well" as const });

describe("what the hub answers is not believed", () => {
  test.each(rows)("$id: $what", async (row) => {
    const { one, signal } = await answersLike(row);
    const shown = row.body === undefined ? searchHub(one, "model", weigh, signal) : one.describe(name, "main", signal);
    const outcome = await shown.then(
      (files) => ("files" in files ? [] : files.map(({ file }) => file)),
      (thrown) => (thrown instanceof AppError ? thrown.code : String(thrown)),
    );
    if (row.error !== undefined) expect(outcome).toBe(row.error);
    else expect([...new Set(outcome)]).toEqual(row.expected);
  });

  test("a search asks about ten repositories at most, and shows the licence that reads as one", async () => {
    const { one, signal } = await answersLike({ id: "", what: "", found: { many: 10_000, id: name }, licence: "mit" });
    const files = await searchHub(one, "model", weigh, signal);
    expect(hub?.requests.filter((line) => line.includes("/revision/"))).toHaveLength(10);
    expect(files[0]).toMatchObject({ licence: "mit", quantisation: "Q4_K_M", parts: 1, fit: "well", memoryBytes: 3 });
  });

  test("a search goes on without a repository that cannot be read, and fails when none can", async () => {
    hub = await startHub(
      { [name]: { files: { "a-Q8_0.gguf": Buffer.from("GGUF") } } },
      { found: [{ id: "no/body" }, { id: name }] },
    );
    const one = createHub({ door: aDoor(), environment: { HF_ENDPOINT: hub.url } });
    const search = () => searchHub(one, "model", weigh, AbortSignal.timeout(20_000));
    expect((await search()).map(({ file }) => file)).toEqual(["a-Q8_0.gguf"]);
    hub.failCalls({}, { status: 500 }, { status: 500 });
    await expect(search()).rejects.toMatchObject({ code: "download-failed" });
  });
});

test.each([
  ["qwen2.5-1.5b-instruct-q4_k_m.gguf", "Q4_K_M"],
  ["Model.IQ2_XXS.gguf", "IQ2_XXS"],
  ["Model-BF16.gguf", "BF16"],
  ["Model-Q8_0-00001-of-00002.gguf", "Q8_0"],
  ["SmolLM2-135M-Instruct.Q4_1.gguf", "Q4_1"],
  ["Model-UD-Q4_K_XL.gguf", "Q4_K_XL"],
  ["q4u-model.gguf", undefined],
  ["model.gguf", undefined],
])("the quantisation of %s is %s", (file, expected) => expect(quantisationOf(file)).toBe(expected));
