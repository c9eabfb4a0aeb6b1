import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createListener, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import type * as ws from "ws";
import { CONTENT_SECURITY_POLICY } from "../../src/shared/policy.ts";
import { launchChromium } from "../support/chromium.ts";
import { ask, closeCode, openSocket, startPage, trade } from "../support/loopback.ts";

interface Fixtures {
  readonly requests: readonly { id: string; what: string; lines: readonly string[]; status: number }[];
  readonly frames: readonly { id: string; what: string; send: string; code: number }[];
}

const fixtures = JSON.parse(readFileSync("tests/hostile/loopback.json", "utf8")) as Fixtures;

describe("a request", () => {
  test.each(fixtures.requests)("$id: $what is answered with $status", async ({ lines, status }) => {
    const page = await startPage();
    const filled = lines.map((line) => line.replaceAll("PORT", `${page.port}`).replace("LONG", "x".repeat(65_536)));
    const answer = await ask(page.port, filled);
    expect(answer.status).toBe(status);
    expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect((await fetch(page.origin)).status).toBe(200);
  });

  test.each(["127.0.0.1", "localhost", "[::1]"])(
    "to %s gets the page, with every header that guards it",
    async (name) => {
      const page = await startPage();
      const { status, headers } = await ask(page.port, ["GET / HTTP/1.1", `Host: ${name}:${page.port}`]);
      expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-security-policy": CONTENT_SECURITY_POLICY,
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      expect(CONTENT_SECURITY_POLICY).toContain("frame-ancestors 'none'");
    },
  );

  test("K11: with a token in its query takes that token out of use", async () => {
    const page = await startPage();
    const address = page.issueAddress();
    const token = address.split("#t=")[1];
    const { status } = await ask(page.port, [`GET /?t=${token} HTTP/1.1`, `Host: 127.0.0.1:${page.port}`]);
    expect([status, (await trade(address)).status]).toEqual([400, 401]);
  });

  test("K12: with a token that was traded before is refused, and each token has 256 bits", async () => {
    const page = await startPage();
    const address = page.issueAddress();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}$/);
    expect([(await trade(address)).status, (await trade(address)).status]).toEqual([200, 401]);
    expect((await trade(page.issueAddress())).status).toBe(200);
  });

  test("K26: with a token, or a session, of a Lares that has ended is refused", async () => {
    const ended = await startPage();
    const address = ended.issueAddress();
    const { session } = await trade(ended.issueAddress());
    await ended.close();
    const page = await startPage({ port: ended.port });
    expect(page.port).toBe(ended.port);
    expect((await trade(address)).status).toBe(401);
    expect(await closeCode(await openSocket(page, { session }))).toBe(4401);
  });
});

/** Resolves when the other side has ended the connection, however rudely. */
function cutOff(socket: Socket): Promise<void> {
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => {
    socket
      .resume()
      .on("error", () => undefined)
      .on("close", () => resolve());
  });
}

describe("many requests", () => {
  test("K16: of 200 connections 128 are kept, and when they go there is room again", async () => {
    const page = await startPage();
    const sockets = Array.from({ length: 200 }, () => connect(page.port, "127.0.0.1"));
    let gone = 0;
    for (const socket of sockets) cutOff(socket).then(() => (gone += 1));
    await expect.poll(() => gone).toBe(72);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => gone).toBe(200);
    expect((await fetch(page.origin)).status).toBe(200);
  });

  test("K16: a connection that says nothing is let go", async () => {
    const page = await startPage({ headersMs: 300 });
    await cutOff(connect(page.port, "127.0.0.1"));
    expect((await fetch(page.origin)).status).toBe(200);
  });

  test("K16: a request that never ends its headers is cut off", async () => {
    const page = await startPage({ headersMs: 300 });
    const slow = connect(page.port, "127.0.0.1");
    const drip = setInterval(() => slow.write("X-Slow: 1\r\n"), 50);
    onTestFinished(() => clearInterval(drip));
    slow.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${page.port}\r\n`);
    await cutOff(slow);
    expect((await fetch(page.origin)).status).toBe(200);
  });
});

describe("a socket", () => {
  test("of a page that was let in carries text both ways", async () => {
    const page = await startPage();
    const { session } = await trade(page.issueAddress());
    const socket = await openSocket(page, { session });
    socket.send("hello");
    await expect.poll(() => page.heard).toEqual(["hello"]);
    page.tell("back");
    expect(String((await once(socket, "message"))[0])).toBe("back");
    socket.close();
    await expect.poll(() => page.heard).toEqual(["hello", "gone"]);
  });

  test("of the same session is let in again after a reload", async () => {
    const page = await startPage();
    const { session } = await trade(page.issueAddress());
    (await openSocket(page, { session })).close();
    (await openSocket(page, { session })).send("again");
    await expect.poll(() => page.heard).toContain("again");
  });

  test("K9: that does not say who it is is closed", async () => {
    const page = await startPage();
    expect(await closeCode(await openSocket(page))).toBe(4401);
  });

  test("K10: after five wrong sessions nobody is let in for a while, with the right one neither", async () => {
    const page = await startPage();
    const { session } = await trade(page.issueAddress());
    const codes: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) {
      codes.push(await closeCode(await openSocket(page, { session: `wrong ${tries}` })));
    }
    codes.push(await closeCode(await openSocket(page, { session })));
    expect(codes).toEqual([4401, 4401, 4401, 4401, 4401, 4429, 4429]);
    expect((await trade(page.issueAddress())).status).toBe(429);
  });

  test.each([
    ["a token", { token: "x" }],
    ["a call", { id: 1, name: "app.hello", input: {} }],
    ["null", null],
    ["a list", []],
  ])("K20: that begins with %s is closed and heard by nobody", async (_what, greeting) => {
    const page = await startPage();
    expect(await closeCode(await openSocket(page, greeting))).toBe(4401);
    expect(page.heard).toEqual([]);
  });

  test("of a session that was idle too long is closed", async () => {
    const page = await startPage({ idleMs: 200 });
    const { session } = await trade(page.issueAddress());
    expect(await closeCode(await openSocket(page, { session }))).toBe(4401);
    expect(await closeCode(await openSocket(page, { session }))).toBe(4401);
  });

  test("that reads nothing is cut off before it fills the memory", async () => {
    const page = await startPage();
    const { session } = await trade(page.issueAddress());
    const socket = await openSocket(page, { session });
    socket.send("here");
    await expect.poll(() => page.heard).toEqual(["here"]);
    socket.pause();
    for (let pieces = 0; pieces < 40; pieces += 1) page.tell("x".repeat(1024 * 1024));
    await expect.poll(() => page.heard).toEqual(["here", "gone"]);
  });

  const sending: Readonly<Record<string, (socket: ws.WebSocket) => void>> = {
    huge: (socket) => socket.send("x".repeat(2 * 1024 * 1024)),
    flood: (socket) => {
      for (let frames = 0; frames < 10_000; frames += 1) socket.send("x");
    },
    pings: (socket) => {
      for (let frames = 0; frames < 10_000; frames += 1) socket.ping();
    },
    "broken-text": (socket) => socket.send(Buffer.from([0xc3, 0x28]), { binary: false }),
    fragments: (socket) => {
      for (let frames = 0; frames < 20_000; frames += 1) socket.send("", { fin: false });
    },
    bytes: (socket) => socket.send(Buffer.from("{}"), { binary: true }),
  };

  test.each(fixtures.frames)(
    "$id: that sends $what is closed with $code, and others are not",
    async ({ send, code }) => {
      const page = await startPage();
      const [one, other] = [await trade(page.issueAddress()), await trade(page.issueAddress())];
      const good = await openSocket(page, { session: other.session });
      const bad = await openSocket(page, { session: one.session });
      sending[send]?.(bad);
      expect(await closeCode(bad)).toBe(code);
      good.send("still here");
      await expect.poll(() => page.heard).toContain("still here");
    },
  );
});

describe("the server", () => {
  test("K21: takes another port when somebody has the wanted one, and tells that one nothing", async () => {
    const told: Socket[] = [];
    const hostile = createListener((socket) => told.push(socket)).listen(0, "127.0.0.1");
    await once(hostile, "listening");
    onTestFinished(() => void hostile.close());
    const { port } = hostile.address() as AddressInfo;
    const page = await startPage({ port });
    expect(page.port).not.toBe(port);
    expect(new URL(page.issueAddress()).port).toBe(`${page.port}`);
    expect((await trade(page.issueAddress())).status).toBe(200);
    expect(told).toEqual([]);
  });

  const outward = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const others = ["127.0.0.2", ...outward.filter(({ internal }) => !internal).map(({ address }) => address)];
  test.each(others)("K23: does not listen at %s", async (address) => {
    const page = await startPage();
    const socket = connect(page.port, address);
    const [error] = await once(socket, "error");
    expect(error.code).toMatch(/ECONNREFUSED|EADDRNOTAVAIL|EINVAL|ENETUNREACH/);
  });
});

test("K24: a page of another site whose name is rebound to this computer reads nothing and opens nothing", async () => {
  const page = await startPage();
  const evil = createServer((_request, response) => response.setHeader("content-type", "text/html").end("<p>evil</p>"));
  await once(evil.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void evil.close());
  const browser = await launchChromium({ args: ["--host-resolver-rules=MAP evil.test 127.0.0.1"] });
  onTestFinished(() => browser.close());
  const tab = await browser.newPage();
  await tab.goto(`http://evil.test:${(evil.address() as AddressInfo).port}/`);

  const outcomes = await tab.evaluate(async (port) => {
    const opened = (name: string) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`ws://${name}:${port}/socket`);
        socket.onopen = () => resolve(`${name} opened`);
        socket.onerror = () => resolve("refused");
      });
    const read = (name: string) =>
      fetch(`http://${name}:${port}/`).then(
        async (answer) => `${name} read ${await answer.text()}`,
        () => "refused",
      );
    const names = ["evil.test", "127.0.0.1", "localhost"];
    return Promise.all(names.flatMap((name) => [opened(name), read(name)]));
  }, page.port);
  expect(outcomes).toEqual(Array(6).fill("refused"));

  // The same page, as its own site: now the name is right for the browser, and still wrong for us.
  const answer = await tab.goto(`http://evil.test:${page.port}/`);
  expect(answer?.status()).toBe(421);
});
