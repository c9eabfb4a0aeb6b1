import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSocket, trade } from "../../../tests/support/loopback.ts";
import type { Desk, Shell } from "../../shared/bridge.ts";
import type { StreamBatch } from "../../shared/stream.ts";
import type { Log } from "../lib/log.ts";
import { serveBrowser } from "./browser.ts";

/** The channel on a desk that writes down what it is told, with one page that was let in. */
async function startChannel() {
  const pageFolder = mkdtempSync(join(tmpdir(), "lares-channel-"));
  onTestFinished(() => rmSync(pageFolder, { recursive: true }));
  writeFileSync(join(pageFolder, "index.html"), "<p>page</p>");
  const asked: unknown[] = [];
  const logged: string[] = [];
  const connected: { shell: Shell; post: (batch: StreamBatch) => void }[] = [];
  const desk: Desk = {
    connect(shell, post) {
      connected.push({ shell, post });
      return {
        async call(name, input) {
          asked.push([name, input]);
          return { ok: true, value: "done" };
        },
        close: () => void asked.push("closed"),
      };
    },
  };
  const note = (event: string, fields?: object) => void logged.push(JSON.stringify([event, fields]));
  const log: Log = { info: note, warn: note, error: note };
  const browser = await serveBrowser({ desk, pageFolder, log });
  onTestFinished(() => browser.close());
  const origin = `http://127.0.0.1:${browser.port}`;
  const { session } = await trade(browser.issueAddress());
  const socket = await openSocket({ origin }, { session });
  return { browser, socket, asked, logged, connected };
}

test("a page's call is answered under its number, and batches come in between", async () => {
  const { socket, asked, connected } = await startChannel();
  socket.send(JSON.stringify({ id: 3, name: "chats.list", input: { a: 1 } }));
  expect(JSON.parse(String((await once(socket, "message"))[0]))).toEqual({ id: 3, reply: { ok: true, value: "done" } });
  expect(asked).toEqual([["chats.list", { a: 1 }]]);
  connected[0]?.post({ seq: 1, events: [] });
  expect(JSON.parse(String((await once(socket, "message"))[0]))).toEqual({ batch: { seq: 1, events: [] } });
  socket.close();
  await expect.poll(() => asked.at(-1)).toBe("closed");
});

test.each([
  "",
  "{",
  "null",
  "[]",
  '{"id":-1,"name":"x"}',
  '{"id":"1","name":"x"}',
  '{"id":1,"name":"x","input":{},"more":1}',
])("the frame %j is left aside: the desk is not asked, and the log has no word of it", async (frame) => {
  const { socket, asked, logged } = await startChannel();
  socket.send(frame);
  socket.send(JSON.stringify({ id: 1, name: "after", input: {} }));
  await once(socket, "message");
  expect(asked).toEqual([["after", {}]]);
  expect(logged.at(-1)).toBe(JSON.stringify(["browser.frame-refused", { characters: frame.length }]));
});

test("another window is a fresh address for another tab", async () => {
  const { browser, connected } = await startChannel();
  await expect.poll(() => connected.length).toBe(1);
  const shell = connected[0]?.shell;
  const address = (await shell?.newWindow?.()) ?? "";
  expect(shell?.kind).toBe("browser");
  expect(new URL(address).port).toBe(`${browser.port}`);
  expect((await trade(address)).status).toBe(200);
});
