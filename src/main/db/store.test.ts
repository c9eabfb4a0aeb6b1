import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { textOf } from "../../shared/message.ts";
import type { Store } from "../agent/store.ts";
import type { DeskStore } from "../ipc/backend.ts";
import { createStore } from "./store.ts";

test("the store is what the agent and the desk ask for", () => {
  const store: Store & DeskStore & { close(): void } = createStore(":memory:");
  expect(store.openSession("s", 5)).toEqual({ id: "s", title: "", createdAt: 5, updatedAt: 5 });
  store.close();
});

test("what is stored is there after the store was closed and opened again, and closing twice is harmless", () => {
  const path = join(temporaryFolder(), "lares.db");
  const first = createStore(path);
  storedTurn(first);
  first.append(aRow("kept"));
  first.setSetting("settings", '{"a":1}');
  first.close();
  first.close();
  const again = createStore(path);
  expect(again.page("s", { limit: 10 }).map(({ parts }) => textOf(parts))).toEqual(["kept"]);
  expect(again.setting("settings")).toBe('{"a":1}');
  expect(again.setting("none")).toBeUndefined();
  again.setSetting("settings", "{}");
  expect(again.setting("settings")).toBe("{}");
  again.close();
});

test("a private store works without a file", () => {
  const before = readdirSync(".");
  const store = createStore(":memory:");
  storedTurn(store);
  store.append(aRow("nobody knows"));
  expect(store.search("nobody", { limit: 1 })).toHaveLength(1);
  expect(store.check()).toEqual([]);
  store.close();
  expect(readdirSync(".")).toEqual(before);
});

test("twenty tool steps of two commits write at most half a megabyte to the log", () => {
  const path = join(temporaryFolder(), "lares.db");
  const store = createStore(path);
  storedTurn(store);
  const before = statSync(`${path}-wal`).size;
  for (let step = 0; step < 20; step++) toolStep(store, step);
  const grown = statSync(`${path}-wal`).size - before;
  expect(grown).toBeGreaterThan(100_000);
  expect(grown).toBeLessThanOrEqual(500_000);
  store.close();
});

function toolStep(store: ReturnType<typeof createStore>, step: number): void {
  const id = `call ${step}`;
  store.atomically(() => {
    const parts = [{ type: "tool-call", id, name: "read_file", input: { path: `notes/${step}.txt` } }] as const;
    const row = store.append(aRow("", { role: "assistant", parts: [...parts] }));
    store.insertCall({ id, turnId: "t", messageId: row.id, name: "read_file", class: "read", state: "running" });
    store.setPhase("t", "awaiting_tools", step);
  });
  store.atomically(() => {
    store.setCall("t", id, { state: "finished", endedAt: 4, summary: "Read notes, 12 lines." });
    const part = {
      type: "tool-result",
      callId: id,
      name: "read_file",
      text: "word ".repeat(40),
      failed: false,
    } as const;
    store.append(aRow("", { role: "tool", parts: [part] }));
  });
}

/** Streams an answer for ever and says after each piece that it is stored. */
const writer = (path: string, turn: string) => `
  import { writeSync } from "node:fs";
  import { createStore } from ${JSON.stringify(join(import.meta.dirname, "store.ts"))};
  const store = createStore(${JSON.stringify(path)});
  const about = { sessionId: "s", turnId: ${JSON.stringify(turn)}, createdAt: 1 };
  store.accept({ id: about.turnId, sessionId: "s", channel: "test", text: "go", createdAt: 1 });
  store.beginTurn({ id: about.turnId, sessionId: "s", inboundId: about.turnId, startedAt: 1 });
  for (let number = 0; ; number++) {
    const { id } = store.append({ ...about, role: "assistant", status: "streaming", parts: [] });
    let text = "";
    for (let piece = 0; piece < 4; piece++) {
      const more = number + "." + piece + " ";
      store.appendChunk(id, "text", more);
      text += more;
      writeSync(1, JSON.stringify({ id, text }) + "\\n");
    }
    store.finish(id, { parts: [{ type: "text", text }], status: "complete", finishedAt: 2 });
  }`;

/** Runs the writer until it has acknowledged so many pieces, kills it, and returns the acknowledged ones. */
async function killedAfter(pieces: number, path: string, turn: string): Promise<{ id: number; text: string }[]> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", writer(path, turn)]);
  let output = "";
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    output += data;
    if (output.split("\n").length > pieces) child.kill("SIGKILL");
  });
  await closed;
  const lines = output.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

test("killing the writer at any moment loses nothing it acknowledged and damages nothing", async () => {
  const path = join(temporaryFolder(), "lares.db");
  for (const pieces of [1, 2, 7, 30, 101]) {
    const turn = `turn ${pieces}`;
    const acknowledged = await killedAfter(pieces, path, turn);
    expect(acknowledged.length).toBeGreaterThanOrEqual(pieces);
    const store = createStore(path);
    const stored = new Map(store.turnMessages(turn).map(({ id, parts }) => [id, textOf(parts)]));
    for (const { id, text } of acknowledged) expect(stored.get(id)?.startsWith(text)).toBe(true);
    expect(store.unfinishedTurns().map(({ id }) => id)).toContain(turn);
    expect(store.check()).toEqual([]);
    store.close();
  }
});

const hasStrace = existsSync("/usr/bin/strace");

test.skipIf(!hasStrace)(
  "after a failed fsync the store says so, and goes on over a connection of its own that has read everything back",
  () => {
    const path = join(temporaryFolder(), "lares.db");
    createStore(path).close();
    const program = `
    import { createStore } from ${JSON.stringify(join(import.meta.dirname, "store.ts"))};
    const store = createStore(${JSON.stringify(path)});
    const codes = [];
    for (let number = 0; number < 12; number++) {
      try { store.setSetting("number", String(number)); codes.push("ok"); } catch ({ code }) { codes.push(code); }
    }
    console.log(codes.join(" "));`;
    const failing = ["-f", "-qq", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO:when=6"];
    const node = [process.execPath, "--input-type=module", "--eval", program];
    const codes = execFileSync("strace", [...failing, ...node], { encoding: "utf8", stdio: "pipe" })
      .trim()
      .split(" ");
    const failed = codes.indexOf("disk-error");
    expect(failed).toBeGreaterThan(0);
    expect(codes).toEqual([...Array(failed).fill("ok"), "disk-error", ...Array(11 - failed).fill("ok")]);
    const again = createStore(path);
    expect(again.setting("number")).toBe("11");
    expect(again.check()).toEqual([]);
    again.close();
  },
);

const canMount = (() => {
  try {
    execFileSync("unshare", ["--mount", "sh", "-c", "mount -t tmpfs none /mnt"], { stdio: "pipe" });
    return true;
  } catch {
    return false;
  }
})();

test.skipIf(!canMount)(
  "a disk of 8 MB that fills up refuses with its reason, keeps what was there, and is used again when there is room",
  () => {
    const program = `
      import { rmSync, writeFileSync } from "node:fs";
      import { createStore } from ${JSON.stringify(join(import.meta.dirname, "store.ts"))};
      const folder = process.argv[1];
      const store = createStore(folder + "/lares.db");
      writeFileSync(folder + "/ballast", Buffer.alloc(4_000_000));
      const said = [];
      for (let number = 0; number < 24; number++) {
        if (number === 20) rmSync(folder + "/ballast");
        try { store.setSetting("key " + number, "x".repeat(300_000)); said.push("ok"); } catch ({ code }) { said.push(code); }
      }
      const isWhole = said.every((code, number) => (store.setting("key " + number)?.length === 300_000) === (code === "ok"));
      console.log(JSON.stringify({ codes: [...new Set(said)], last: said.slice(-4), isWhole, problems: store.check() }));
      store.close();`;
    const folder = temporaryFolder();
    const script = 'mount -t tmpfs -o size=8m none "$0" && "$1" --input-type=module --eval "$2" "$0"';
    const values = ["--mount", "sh", "-c", script, folder, process.execPath, program];
    const told = JSON.parse(execFileSync("unshare", values, { encoding: "utf8", stdio: "pipe" }));
    expect(told).toEqual({ codes: ["ok", "disk-full"], last: Array(4).fill("ok"), isWhole: true, problems: [] });
  },
);
