import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { downloadFrom } from "../../../tests/support/door.ts";
import { type Answer, type FaultServer, startFaultServer } from "../../../tests/support/fault-server.ts";
import { AppError } from "../../shared/errors.ts";
import { type FetchOptions, fetchFile } from "./fetch-file.ts";

const file = randomBytes(300_000);
const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

let folder: string;
let to: string;
let server: FaultServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-net-"));
  to = join(folder, "part");
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true });
});

async function fetchWith(script: readonly Answer[], more: Partial<FetchOptions> = {}): Promise<number> {
  server ??= await startFaultServer(file, script);
  const limits = { stallMs: 2000, tries: 3, firstWaitMs: 1, ...more.limits };
  const { url } = server;
  const { signal } = new AbortController();
  return fetchFile({ url, fetch: downloadFrom(url), to, signal, ...more, limits });
}

const failure = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (thrown) => {
      expect(thrown).toBeInstanceOf(AppError);
      return thrown;
    },
  );

describe("a download", () => {
  test("arrives whole, says its progress and leaves nothing else behind", async () => {
    const progress: unknown[] = [];
    const bytes = await fetchWith([{}], { onProgress: (done, total) => progress.push([done, total]) });
    expect(bytes).toBe(file.length);
    expect(hash(readFileSync(to))).toBe(hash(file));
    expect(progress.at(-1)).toEqual([file.length, file.length]);
    expect(existsSync(`${to}.version`)).toBe(false);
  });

  test("goes on where the connection broke, as often as it breaks while more arrives", async () => {
    const cut: Answer = { cutAfter: 50_000 };
    await fetchWith([cut, cut, cut, cut, {}]);
    expect(hash(readFileSync(to))).toBe(hash(file));
    const starts = server?.requests.map(({ range }) => range);
    expect(starts?.[0]).toBeUndefined();
    expect(new Set(starts).size).toBe(5);
    expect(server?.requests.at(-1)?.["if-range"]).toBe('"one"');
  });

  test("goes on in another call with what an earlier one left", async () => {
    await failure(fetchWith([{ cutAfter: 120_000 }, { hangUp: true }, { hangUp: true }, { hangUp: true }, {}]));
    const kept = statSync(to).size;
    expect(kept).toBeGreaterThan(0);
    await fetchWith([]);
    expect(server?.requests.at(-1)?.range).toBe(`bytes=${kept}-`);
    expect(hash(readFileSync(to))).toBe(hash(file));
  });

  const cut: Answer = { cutAfter: 90_000 };
  const restarts: readonly [string, boolean, readonly Answer[]][] = [
    ["a file that has changed meanwhile", true, [{ ...cut, etag: '"old"' }, {}]],
    ["a server that sends the changed file as a continuation", false, [cut, { headers: { etag: '"new"' } }, {}]],
    ["a server without ranges", true, [cut, { noRange: true }]],
    ["a server that continues at the wrong place", false, [cut, { shift: 7 }, {}]],
    ["a server that cannot continue (416)", false, [cut, { status: 416 }, {}]],
    ["a version without a name", false, [{ ...cut, headers: { etag: "" } }, {}]],
    ["a version with a weak name", false, [{ ...cut, etag: 'W/"one"' }, {}]],
  ];
  test.each(restarts)("begins again with %s", async (_name, asksForTheRest, script) => {
    await fetchWith(script);
    expect(hash(readFileSync(to))).toBe(hash(file));
    expect(server?.requests.at(-1)?.range !== undefined).toBe(asksForTheRest);
  });

  test("begins again at another address", async () => {
    await failure(fetchWith([cut, { status: 404 }, {}]));
    await fetchWith([], { url: `${server?.url}/other` });
    expect(server?.requests.at(-1)?.range).toBeUndefined();
  });

  test("may take longer than any silence is allowed to", async () => {
    await fetchWith([{ dripMs: 60 }], { limits: { stallMs: 500 } });
    expect(server?.requests).toHaveLength(1);
  });

  test("does not go on behind bytes of unknown origin", async () => {
    writeFileSync(to, randomBytes(1000));
    await fetchWith([{}]);
    expect(hash(readFileSync(to))).toBe(hash(file));
  });

  test("asks nobody when all expected bytes are there", async () => {
    writeFileSync(to, file);
    await fetchWith([{ status: 500 }], { expectedBytes: file.length });
    expect(server?.requests).toEqual([]);
  });

  test("follows redirects, and waits out a server that has trouble for a moment", async () => {
    const moved = (location: string): Answer => ({ status: 302, headers: { location } });
    await fetchWith([{ status: 503 }, { status: 429, headers: { "retry-after": "0" } }, moved("/a"), moved("b"), {}]);
    expect(hash(readFileSync(to))).toBe(hash(file));
  });

  test("that is stopped keeps its part", async () => {
    const controller = new AbortController();
    const promise = fetchWith([{ stallAfter: 100_000 }], {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    const error = await failure(promise);
    expect([error.code, statSync(to).size > 0, server?.requests.length]).toEqual(["aborted", true, 1]);
  });

  test("can be stopped while it waits for the next try", async () => {
    const controller = new AbortController();
    const promise = fetchWith([{ status: 503 }], { signal: controller.signal, limits: { firstWaitMs: 3_600_000 } });
    const asked = setInterval(() => server?.requests.length === 1 && controller.abort(), 5);
    expect((await failure(promise)).code).toBe("aborted");
    clearInterval(asked);
  });
});

describe("a refused download", () => {
  const html = { headers: { "content-type": "text/html; charset=utf-8" }, body: "<h1>Sign in</h1>" };
  const rows: readonly [string, readonly Answer[], Partial<FetchOptions>, string, RegExp, number][] = [
    ["a web page with 200", [html], {}, "download-failed", /web page instead of the file/, 1],
    ["401", [{ status: 401 }], {}, "download-failed", /sign-in \(HTTP 401\)/, 1],
    ["403", [{ status: 403 }], {}, "download-failed", /not allow this download \(HTTP 403\)/, 1],
    ["404", [{ status: 404 }], {}, "download-failed", /not have the file \(HTTP 404\)/, 1],
    ["409", [{ status: 409 }], {}, "download-failed", /HTTP 409/, 1],
    ["413", [{ status: 413 }], {}, "download-failed", /HTTP 413/, 1],
    ["408 without end", [{ status: 408 }], {}, "download-failed", /HTTP 408/, 3],
    ["500 without end", [{ status: 500 }], {}, "download-failed", /HTTP 500/, 3],
    ["529 without end", [{ status: 529 }], {}, "download-failed", /HTTP 529/, 3],
    [
      "429 for an hour",
      [{ status: 429, headers: { "retry-after": "3600" } }],
      {},
      "download-failed",
      /wait 60 minutes/,
      1,
    ],
    [
      "429 until a far date",
      [{ status: 429, headers: { "retry-after": "Fri, 01 Jan 2100 00:00:00 GMT" } }],
      {},
      "download-failed",
      /wait \d+ minutes/,
      1,
    ],
    ["packed bytes", [{ headers: { "content-encoding": "gzip" } }], {}, "download-failed", /not asked for/, 1],
    ["another size", [{}], { expectedBytes: 7 }, "download-failed", /300000 bytes, not the expected 7/, 1],
    [
      "a short file without a length",
      [{ endAfter: 1000 }, { endAfter: 0 }],
      { expectedBytes: 300_000 },
      "download-failed",
      /sent \d+ of 300000/,
      3,
    ],
    [
      "a long file without a length",
      [{ endAfter: 300_000 }],
      { expectedBytes: 200 },
      "download-failed",
      /more than the 200 bytes/,
      1,
    ],
    ["silence before the answer", [{ stallAfter: 0 }], { limits: { stallMs: 50 } }, "timeout", /sent nothing/, 3],
    [
      "silence in the answer",
      [{ stallAfter: 1000 }, { stallAfter: 0 }],
      { limits: { stallMs: 50 } },
      "timeout",
      /sent nothing/,
      3,
    ],
    ["a connection that always breaks", [{ hangUp: true }], {}, "download-failed", /broke off the connection/, 3],
    [
      "a circle of redirects",
      [{ status: 302, headers: { location: "/" } }],
      {},
      "address-refused",
      /redirects more than 5/,
      6,
    ],
    [
      "a redirect to a file",
      [{ status: 302, headers: { location: "file:///etc/passwd" } }],
      {},
      "address-refused",
      /not safe/,
      1,
    ],
    [
      "a redirect to nonsense",
      [{ status: 302, headers: { location: "http://" } }],
      {},
      "address-refused",
      /not safe/,
      1,
    ],
  ];
  test.each(rows)("is refused with words: %s", async (_name, script, more, code, words, requests) => {
    const error = await failure(fetchWith(script, more));
    expect(error.message).toMatch(words);
    expect([error.code, server?.requests.length]).toEqual([code, requests]);
  });

  test("says offline at once when nobody listens", async () => {
    const gone = await startFaultServer(file, [{}]);
    await gone.close();
    const error = await failure(
      fetchWith([], { url: gone.url, fetch: downloadFrom(gone.url), limits: { firstWaitMs: 3_600_000 } }),
    );
    expect([error.code, error.message]).toEqual(["offline", expect.stringContaining("cannot be reached")]);
  });

  test("says offline when the name is unknown", async () => {
    const error = await failure(fetchWith([], { url: "http://no-such-host.invalid/file" }));
    expect(error.code).toBe("offline");
  });

  test("refuses an address that is not one of the web", async () => {
    for (const url of ["file:///etc/passwd", "not an address", "data:,x"])
      expect((await failure(fetchWith([], { url }))).code).toBe("bad-request");
  });

  test.skipIf(!existsSync("/dev/full"))("says that the disk is full, and does not try again", async () => {
    symlinkSync("/dev/full", to);
    const error = await failure(fetchWith([{}]));
    expect([error.code, server?.requests.length]).toEqual(["disk-full", 1]);
  });

  test("names a folder that does not exist", async () => {
    const error = await failure(fetchWith([{}], { to: join(folder, "none", "part") }));
    expect([error.code, error.message]).toEqual(["disk-error", expect.stringContaining("none")]);
  });
});
