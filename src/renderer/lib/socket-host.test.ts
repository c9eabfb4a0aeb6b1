import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { type Page, startPage } from "../../../tests/support/loopback.ts";
import type { LoopbackOptions } from "../../main/net/loopback.ts";
import type { StreamBatch } from "../../shared/stream.ts";
import { createSocketHost, findSession } from "./socket-host.ts";

/** A page that answers every call with its name, and never answers the call "wait". */
const echo: LoopbackOptions["onPage"] = (send) => ({
  message(text) {
    const { id, name } = JSON.parse(text) as { id: number; name: string };
    calls.push(name);
    if (name !== "wait") send(JSON.stringify({ id, reply: { ok: true, value: name } }));
  },
  closed: () => undefined,
});

const realFetch = globalThis.fetch;

let calls: string[];
let sockets: Set<WebSocket>;
let stored: Map<string, string>;

beforeEach(() => {
  calls = [];
  sockets = new Set();
  stored = new Map();
});
afterEach(() => vi.unstubAllGlobals());

/** What a browser has, for a tab that is on this address. */
function openTab(address: string): void {
  const { origin, host, hash, pathname } = new URL(address);
  const location = { host, hash, pathname };
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", {
    replaceState: () => {
      location.hash = "";
    },
  });
  vi.stubGlobal("sessionStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  });
  vi.stubGlobal("fetch", (path: string, options: RequestInit) =>
    realFetch(origin + path, { ...options, headers: { ...options.headers, origin } }),
  );
  vi.stubGlobal(
    "WebSocket",
    class extends WebSocket {
      constructor(url: string) {
        super(url, { origin });
        sockets.add(this);
      }
    },
  );
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.onclose = null;
      socket.terminate();
    }
  });
}

async function openHost(page: Page) {
  openTab(page.issueAddress());
  const session = await findSession();
  const host = createSocketHost(session ?? "");
  const events: string[] = [];
  host.onBatch((batch: StreamBatch) => {
    for (const { event } of batch.events) events.push("up" in event ? `up ${event.up}` : event.type);
  });
  return { host, events };
}

test("the token leaves the address, and a reload finds the session that it was traded for", async () => {
  const page = await startPage();
  openTab(page.issueAddress());
  const session = await findSession();
  expect(session).toMatch(/^[\w-]{43}$/);
  expect(location.hash).toBe("");
  expect(await findSession()).toBe(session);
});

test("an address that was used before, and no session, lead nowhere", async () => {
  const page = await startPage();
  const address = page.issueAddress();
  openTab(address);
  await findSession();
  stored.clear();
  openTab(address);
  expect(await findSession()).toBeNull();
});

test("calls are answered, those before the connection too, and batches are handed on", async () => {
  const page = await startPage({ onPage: echo });
  const { host } = await openHost(page);
  expect(await Promise.all([host.invoke("one", {}), host.invoke("two", {})])).toEqual([
    { ok: true, value: "one" },
    { ok: true, value: "two" },
  ]);
});

test("after a lost connection the page is told, and what waits is asked again", async () => {
  const page = await startPage({ onPage: echo });
  const { host, events } = await openHost(page);
  await host.invoke("one", {});
  void host.invoke("wait", {});
  await expect.poll(() => calls).toEqual(["one", "wait"]);
  for (const socket of sockets) socket.terminate();
  await expect.poll(() => events).toEqual(["up false", "up true", "reset"]);
  await expect.poll(() => calls).toEqual(["one", "wait", "wait"]);
});

test("what is too long is refused here, and the connection stays", async () => {
  const page = await startPage({ onPage: echo });
  const { host, events } = await openHost(page);
  const long = "字".repeat(400_000); // fewer characters than the limit has bytes
  expect(await host.invoke("long", { long })).toMatchObject({ ok: false, error: { code: "bad-request" } });
  expect(await host.invoke("short", {})).toEqual({ ok: true, value: "short" });
  expect([calls, events]).toEqual([["short"], []]);
});

test("a session that Lares does not know ends it: no further try", async () => {
  const page = await startPage();
  openTab(page.issueAddress());
  const over = vi.fn();
  createSocketHost("unknown").onOver(over);
  await expect.poll(() => over.mock.calls.length).toBe(1);
});
