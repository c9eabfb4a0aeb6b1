import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { aDoor, type TestDoor } from "../../../tests/support/door.ts";
import { type RawRequest, type RawServer, startRawServer } from "../../../tests/support/raw-server.ts";
import { AppError } from "../../shared/errors.ts";
import type { Purpose } from "../../shared/network.ts";
import type { Errand } from "./errand.ts";

let server: RawServer;
afterEach(() => server.close());

const ok = (body: string | Buffer, headers = "") => {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`), bytes]);
};
/** The beginning of an answer whose end does not come. */
const cut = "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf";
const closed = (socket: Socket) => socket.destroyed || new Promise((done) => socket.once("close", done));
const serve = async (answer: (request: RawRequest) => void, more: Parameters<typeof startRawServer>[1] = {}) => {
  server = await startRawServer(answer, more);
};
const visit = (door: TestDoor, errand: Partial<Errand> = {}) =>
  door.visit({ purpose: "answer", granted: server.origin, ...errand });
const failure = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (thrown) => {
      expect(thrown).toBeInstanceOf(AppError);
      return thrown;
    },
  );

describe("a request", () => {
  test("has its row on disk when the connection arrives, and its figures when it is over", async () => {
    const door = aDoor();
    let seen: unknown[] = [];
    await serve(({ socket }) => socket.write(ok("hello")), {
      onConnection: () => {
        seen = door.rows();
      },
    });
    const errand = { chatId: "c1", turnId: "t1", model: "m1" };
    const response = await visit(door, errand).fetch(`${server.origin}/v1`, { method: "POST", body: "héllo" });
    const row = {
      ...{ ...errand, purpose: "answer", host: "127.0.0.1", address: "127.0.0.1", port: server.port },
      place: "this-computer",
    };
    expect(seen).toEqual([expect.objectContaining({ ...row, outcome: "open", bodyOut: 0, bodyIn: 0 })]);
    expect(await response.text()).toBe("hello");
    const whole = { ...row, outcome: "done", status: 200, bodyOut: 6, bodyIn: 5, endedAt: expect.any(Number) };
    expect(door.rows()).toEqual([expect.objectContaining(whole)]);
  });

  test("is not made when its row cannot be written", async () => {
    await serve(({ socket }) => socket.write(ok("hello")));
    const full = new AppError("disk-full", "The disk is full.");
    const ledger = {
      open: () => {
        throw full;
      },
      close: () => undefined,
    };
    expect(await failure(visit(aDoor({ ledger })).fetch(server.origin))).toBe(full);
    expect(server.connections()).toBe(0);
  });

  test("is answered all the same when its row cannot be closed", async () => {
    await serve(({ socket }) => socket.write(ok("hello")));
    const ledger = {
      open: () => 1,
      close: () => {
        throw new Error("gone");
      },
    };
    expect(await (await visit(aDoor({ ledger })).fetch(server.origin)).text()).toBe("hello");
  });

  test("leaves as it is told afterwards, to the byte", async () => {
    await serve(({ socket }) => socket.write(ok("{}")));
    const door = aDoor();
    const one = visit(door);
    expect(one.sent()).toBeUndefined();
    const body = JSON.stringify({ text: "ä€😀", n: 1 });
    const response = await one.fetch(server.origin, { method: "POST", body });
    const [request] = server.requests;
    expect(request?.body.toString()).toBe(one.sent()?.body);
    expect(one.sent()?.trip).toEqual({
      ...{ ledgerId: door.rows()[0]?.id, host: "127.0.0.1", place: "this-computer" },
      ...{ bodyOut: request?.body.length, bodyIn: 0 },
    });
    await response.text();
    expect(one.sent()?.trip.bodyIn).toBe(2);
  });

  const packed = gzipSync("x".repeat(5000));
  const chunks = (body: Buffer) =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from("\r\n0\r\n\r\n")]);
  const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n";
  test.each([
    ["plain", ok("x".repeat(5000)), 5000],
    ["packed", ok(packed, "content-encoding: gzip\r\n"), packed.length],
    ["in chunks", Buffer.concat([Buffer.from(`${head}\r\n`), chunks(Buffer.from("x".repeat(5000)))]), 5000],
    [
      "packed and in chunks",
      Buffer.concat([Buffer.from(`${head}content-encoding: gzip\r\n\r\n`), chunks(packed)]),
      packed.length,
    ],
  ])("counts the bytes of a body that comes %s as they cross the wire", async (_name, answer, bytes) => {
    await serve(({ socket }) => socket.write(answer));
    const door = aDoor();
    expect(await (await visit(door).fetch(server.origin)).text()).toBe("x".repeat(5000));
    expect(door.rows()).toEqual([expect.objectContaining({ bodyIn: bytes, outcome: "done" })]);
  });

  test("for a download is handed on as it came, packed or not", async () => {
    await serve(({ socket }) => socket.write(ok(packed, "content-encoding: gzip\r\n")));
    const response = await visit(aDoor(), { purpose: "download" }).fetch(server.origin);
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(Buffer.from(await response.arrayBuffer()).equals(packed)).toBe(true);
  });

  test("uses one connection for itself alone, and tells nothing but what it must", async () => {
    await serve(({ socket }) => socket.write(ok("1")));
    const door = aDoor();
    const one = visit(door);
    for (const cookie of ["a=1", "b=2"]) await (await one.fetch(server.origin, { headers: { cookie } })).text();
    expect([server.connections(), door.rows().length]).toEqual([2, 2]);
    const lines = server.requests.map(({ head }) => head.split("\r\n").slice(1).sort());
    const host = `host: ${new URL(server.origin).host}`;
    expect(lines[0]).toEqual(["accept-encoding: gzip", "connection: close", host, "user-agent: Lares"]);
    expect(lines[1]).toEqual(lines[0]);
  });

  test("to localhost finds whoever listens on IPv6 only, and asks no name server", async () => {
    await serve(({ socket }) => socket.write(ok("six")), { host: "::1" });
    const origin = `http://localhost:${server.port}`;
    const resolve = () => expect.unreachable("nobody should be asked");
    const door = aDoor({ resolve });
    expect(await (await visit(door, { granted: origin }).fetch(origin)).text()).toBe("six");
    expect(door.rows().map(({ address, outcome, error }) => [address, outcome, error])).toEqual([
      ["127.0.0.1", "failed", "offline"],
      ["::1", "done", undefined],
    ]);
  });

  test("is never made a second time once it may have arrived", async () => {
    await serve(({ socket }) => socket.resume(), { host: "0.0.0.0" });
    const origin = `http://two.test:${server.port}`;
    const limits = { headersMs: 50, nearbyHeadersMs: 50 };
    const door = aDoor({ limits, resolve: async () => ["127.0.0.1", "127.0.0.2"] });
    const error = await failure(visit(door, { granted: origin }).fetch(origin, { method: "POST", body: "once" }));
    expect([error.code, server.requests.length, door.rows().length]).toEqual(["timeout", 1, 1]);
  });
});

describe("a request that is redirected", () => {
  test("keeps its key and its body within the origin, with a row for each hop", async () => {
    await serve(({ socket, head }) =>
      socket.write(
        head.startsWith("POST /v1/ ")
          ? ok("there")
          : "HTTP/1.1 307 Moved\r\nlocation: /v1/\r\ncontent-length: 0\r\n\r\n",
      ),
    );
    const door = aDoor();
    const init = { method: "POST", body: "{}", headers: { authorization: "Bearer k" } };
    expect(await (await visit(door).fetch(`${server.origin}/v1`, init)).text()).toBe("there");
    expect(server.requests.map(({ head, body }) => [/bearer k/i.test(head), body.toString()])).toEqual([
      [true, "{}"],
      [true, "{}"],
    ]);
    expect(door.rows().map(({ status, bodyOut }) => [status, bodyOut])).toEqual([
      [307, 2],
      [200, 2],
    ]);
  });
});

describe("a request that breaks", () => {
  const silent = ({ socket }: RawRequest) => socket.resume();
  test.each<[string, Purpose, (request: RawRequest) => void, string]>([
    ["before its answer", "answer", ({ socket }) => socket.destroy(), "provider-failed"],
    ["in its answer", "answer", ({ socket }) => socket.end(cut), "provider-failed"],
    ["in a download", "download", ({ socket }) => socket.end(cut), "download-failed"],
    ["without an answer in time", "answer", silent, "timeout"],
    ["with something that is no HTTP", "answer", ({ socket }) => socket.end("SSH-2.0-x\r\n"), "not-an-api"],
    [
      "in a packed answer",
      "answer",
      ({ socket }) => {
        const half = gzipSync("x".repeat(100_000)).subarray(0, 60);
        socket.end(ok(half, "content-encoding: gzip\r\n"));
      },
      "provider-failed",
    ],
  ])("%s says so, and its row is closed with that", async (_name, purpose, answer, code) => {
    await serve(answer);
    const door = aDoor({ limits: { nearbyHeadersMs: 50 } });
    const error = await failure(
      visit(door, { purpose })
        .fetch(server.origin)
        .then((response) => response.text()),
    );
    expect(error.code, error.message).toBe(code);
    expect(door.rows()).toEqual([expect.objectContaining({ outcome: "failed", error: code })]);
  });

  test("because nobody listens is offline, and nothing has left", async () => {
    await serve(silent);
    await server.close();
    const door = aDoor();
    const one = visit(door);
    expect((await failure(one.fetch(server.origin, { method: "POST", body: "x" }))).code).toBe("offline");
    expect([one.sent(), door.rows()]).toEqual([undefined, [expect.objectContaining({ bodyOut: 0, error: "offline" })]]);
  });

  test("because a person stops it is stopped at once, before its answer and in it", async () => {
    for (const answer of [silent, ({ socket }: RawRequest) => socket.write(cut)]) {
      await serve(answer);
      const door = aDoor();
      const controller = new AbortController();
      const asked = visit(door).fetch(server.origin, { signal: controller.signal });
      const failed = failure(asked.then((response) => response.text()));
      while (server.requests.length === 0) await new Promise((tick) => setImmediate(tick));
      const { socket } = server.requests[0] as RawRequest;
      controller.abort();
      expect(door.rows()).toEqual([expect.objectContaining({ outcome: "failed", error: "aborted" })]);
      expect((await failed).code).toBe("aborted");
      await closed(socket);
      await server.close();
    }
  });

  test("because a watcher stops it has the words of the watcher", async () => {
    await serve(silent);
    const words = new AppError("timeout", "No answer for 45 s.");
    const signal = AbortSignal.abort(words);
    expect(await failure(visit(aDoor()).fetch(server.origin, { signal }))).toBe(words);
    expect(server.connections()).toBe(0);
  });

  test("because its reader has had enough ends the connection and closes the row as done", async () => {
    await serve(({ socket }) => socket.write(cut));
    const door = aDoor();
    const response = await visit(door).fetch(server.origin);
    await response.body?.cancel();
    expect(door.rows()).toEqual([expect.objectContaining({ outcome: "done", status: 200 })]);
    const { socket } = server.requests[0] as RawRequest;
    await closed(socket);
  });
});

describe("Local mode", () => {
  test("cuts what runs beyond this computer when it is switched on, and says so in its row", async () => {
    let isLocalMode = false;
    await serve(({ socket }) => socket.write(cut));
    const door = aDoor({ isLocalMode: () => isLocalMode, proxies: { HTTP_PROXY: server.origin } });
    const search = (byHand: boolean) => door.visit({ purpose: "hub-search", byHand }).fetch("http://hub.test/");
    const response = await search(false);
    const byHand = await search(true);
    const here = await visit(door).fetch(server.origin);
    isLocalMode = true;
    door.shut();
    expect(door.rows().map(({ outcome, error }) => [outcome, error])).toEqual([
      ["failed", "local-mode"],
      ["open", undefined],
      ["open", undefined],
    ]);
    expect((await failure(response.text())).code).toBe("local-mode");
    expect((await failure(search(false))).code).toBe("local-mode");
    await byHand.body?.cancel();
    await here.body?.cancel();
  });

  test("is asked again after the name was looked up", async () => {
    await serve(({ socket }) => socket.write(ok("1")));
    let isLocalMode = false;
    const resolve = async () => {
      isLocalMode = true;
      return ["10.0.0.1"];
    };
    const door = aDoor({ resolve, isLocalMode: () => isLocalMode });
    const origin = `http://nas.test:${server.port}`;
    expect((await failure(door.visit({ purpose: "answer", granted: origin }).fetch(origin))).code).toBe("local-mode");
    expect(door.rows()).toEqual([expect.objectContaining({ outcome: "refused", error: "local-mode" })]);
  });
});
