import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProgram } from "../../../tests/app/lares.ts";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { MAX_CALL_BYTES } from "../../shared/bridge.ts";
import { findAddress, forgetAddress, makeAddress } from "./local-address.ts";
import { connectLocally, listenLocally } from "./local-socket.ts";

/** A listener that writes down what it hears and answers each line with itself. */
async function aListener(folder = temporaryFolder()) {
  const heard: string[] = [];
  const gone = Promise.withResolvers<void>();
  const server = await listenLocally(folder, (send) => ({
    message(text) {
      heard.push(text);
      send(text);
    },
    closed: () => gone.resolve(),
  }));
  onTestFinished(() => server.close());
  return { folder, server, heard, gone: gone.promise };
}

/** Somebody who writes what they like. */
async function aStranger(folder: string) {
  const socket = connect(findAddress(folder));
  socket.on("error", () => undefined); // sent away
  await once(socket, "connect");
  onTestFinished(() => void socket.destroy());
  return { socket, closed: once(socket, "close") };
}

async function aFriend(folder: string) {
  const heard: string[] = [];
  const waiting: (() => void)[] = [];
  const connection = await connectLocally(folder, (text) => {
    heard.push(text);
    for (const look of waiting.splice(0)) look();
  });
  if (!connection) throw new Error("Nobody listens.");
  onTestFinished(() => connection.close());
  const next = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { ...connection, heard, next };
}

const nobody = { message: () => undefined, closed: () => undefined };

const long = (folder: string) => {
  const below = join(folder, "a-name-that-is-quite-long/".repeat(5));
  mkdirSync(below, { recursive: true });
  return below;
};

describe.skipIf(process.platform === "win32")("the socket of a data folder", () => {
  test("carries lines both ways, also those that come in pieces or together", async () => {
    const { folder, heard } = await aListener();
    const friend = await aFriend(folder);
    const { socket } = await aStranger(folder);
    socket.write("a half");
    friend.send("你好 👩‍👩‍👧");
    await friend.next();
    socket.write(" line\nand two\nmore\n");
    await expect.poll(() => heard).toEqual(["你好 👩‍👩‍👧", "a half line", "and two", "more"]);
    expect(friend.heard).toEqual(["你好 👩‍👩‍👧"]);
  });

  test("is for its owner only, and gone when it is closed", async () => {
    const { folder, server } = await aListener();
    expect(statSync(join(folder, "lares.sock")).mode & 0o777).toBe(0o600);
    server.close();
    expect(existsSync(join(folder, "lares.sock"))).toBe(false);
    expect(await connectLocally(folder, () => undefined)).toBeUndefined();
  });

  test("of a folder with a long name is elsewhere, and the folder says where", async () => {
    const { folder, server } = await aListener(long(temporaryFolder()));
    const address = findAddress(folder);
    expect(address.startsWith(folder)).toBe(false);
    expect(statSync(join(address, "..")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "lares.sock-at")).mode & 0o777).toBe(0o600);
    const friend = await aFriend(folder);
    friend.send("hello");
    await friend.next();
    server.close();
    expect([existsSync(join(address, "..")), existsSync(join(folder, "lares.sock-at"))]).toEqual([false, false]);
  });

  test("a copy of the folder does not lead to the Lares of the original, nor take its socket away", async () => {
    const { folder } = await aListener(long(temporaryFolder()));
    const copy = long(temporaryFolder());
    cpSync(join(folder, "lares.sock-at"), join(copy, "lares.sock-at"));
    expect(await connectLocally(copy, () => undefined)).toBeUndefined();
    await aListener(copy);
    expect((await aFriend(folder)).heard).toEqual([]);
  });

  test.each(["short", "long"])("that a kill left behind (%s name) is taken over", async (name) => {
    const folder = name === "long" ? long(temporaryFolder()) : temporaryFolder();
    const script = `const { listenLocally } = await import(${JSON.stringify(join(import.meta.dirname, "local-socket.ts"))});
      await listenLocally(process.argv[1], () => ({ message() {}, closed() {} })); console.log("listens");`;
    const first = startProgram(process.execPath, ["--input-type=module", "-e", script, folder]);
    await first.printed(/listens/);
    first.child.kill("SIGKILL");
    await first.ended;
    expect(existsSync(findAddress(folder))).toBe(true);
    expect(await connectLocally(folder, () => undefined)).toBeUndefined();
    const { heard } = await aListener(folder);
    (await aFriend(folder)).send("here");
    await expect.poll(() => heard).toEqual(["here"]);
  });

  test("does not take the place of a file that is none", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "lares.sock"), "mine");
    await expect(listenLocally(folder, () => nobody)).rejects.toThrow(/EADDRINUSE/);
    expect(readFileSync(join(folder, "lares.sock"), "utf8")).toBe("mine");
  });

  test.skipIf(process.getuid?.() === 0)("in a folder that is closed to us is nobody's", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0);
    onTestFinished(() => chmodSync(folder, 0o700));
    expect(await connectLocally(folder, () => undefined)).toBeUndefined();
  });

  test.each([
    ["that is not there", () => join(temporaryFolder(), "none")],
    ["with a path beyond measure", () => `/${"n".repeat(600)}`],
  ])("a folder %s has nobody who listens", async (_what, make) => {
    expect(await connectLocally(make(), () => undefined)).toBeUndefined();
  });

  test("lets nobody in any more once it has stopped listening, and tells when the last one has gone", async () => {
    const { folder, server, heard } = await aListener();
    const friend = await aFriend(folder);
    friend.send("in");
    await friend.next();
    const stranger = await aStranger(folder);
    server.stopListening();
    expect(await connectLocally(folder, () => undefined)).toBeUndefined();
    expect(server.visitors()).toBe(2);
    friend.send("still in");
    await friend.next();
    stranger.socket.write(`${"x".repeat(1_000)}\n`.repeat(400)); // and reads nothing of what comes back
    await expect.poll(() => heard.length).toBe(402);
    stranger.socket.destroy();
    friend.close();
    await server.empty();
    expect(server.visitors()).toBe(0);
  });
});

describe.skipIf(process.platform === "win32")("who does harm is sent away, and nobody else notices", () => {
  test.each([
    ["a line that has no end", () => Buffer.alloc(MAX_CALL_BYTES + 2000, "a")],
    ["a line that is too long", () => `${"a".repeat(MAX_CALL_BYTES + 2000)}\n`],
    ["ten thousand lines at once", () => "{}\n".repeat(10_000)],
  ])("%s", async (_what, harm) => {
    const { folder, heard, gone } = await aListener();
    const friend = await aFriend(folder);
    const { socket, closed } = await aStranger(folder);
    socket.resume().write(harm());
    await Promise.all([closed, gone]);
    const before = heard.length;
    expect(before).toBeLessThanOrEqual(1_000);
    friend.send("fine");
    await friend.next();
    expect(heard.slice(before)).toEqual(["fine"]);
  });

  test("a line that is broken off is left aside", async () => {
    const { folder, heard, gone } = await aListener();
    const { socket } = await aStranger(folder);
    socket.end('{"id":1,"name":"app.h');
    await gone;
    expect(heard).toEqual([]);
  });
});

test("on Windows it is a pipe whose name nobody can guess", () => {
  const folder = temporaryFolder();
  const place = { platform: "win32", environment: {} } as const;
  const names = [makeAddress(folder, place), makeAddress(folder, place)];
  expect(names[0]).toMatch(/^\\\\\.\\pipe\\lares-[0-9a-f]{32}$/);
  expect(findAddress(folder)).toBe(names[1]);
  forgetAddress(folder);
  expect(findAddress(folder)).not.toBe(names[1]);
});
