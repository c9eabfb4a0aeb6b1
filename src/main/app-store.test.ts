import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { aPage } from "../../tests/support/page.ts";
import { says, scriptedProvider } from "../../tests/support/scripted-provider.ts";
import { aRow, storedTurn, temporaryFolder } from "../../tests/support/stored-turn.ts";
import { textOf } from "../shared/message.ts";
import { createApp } from "./app.ts";
import { openAppStore } from "./app-store.ts";
import { lockDataFolder } from "./db/lock.ts";
import { rescueNotes, setAside } from "./db/set-aside.ts";
import { createStore, type Store } from "./db/store.ts";
import { silentLog } from "./lib/log.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "lares.db");
});

async function opened({ mustOpen = true, dataFolder = folder } = {}) {
  const found = await openAppStore({
    dataFolder,
    mustOpen: mustOpen ? "always" : undefined,
    log: silentLog,
    waitMs: 0,
  });
  onTestFinished(() => {
    found.store.close();
    found.release();
  });
  return found;
}

/** A closed database with rows that a reader can count. */
function filled(rows = 200): void {
  const store = createStore(file);
  storedTurn(store);
  store.atomically(() => {
    for (let number = 0; number < rows; number++) store.append(aRow(`row ${number} ${"words ".repeat(20)}`));
  });
  store.endTurn("t", { stopReason: "completed", endedAt: 9 });
  store.close();
}

const rowsIn = (store: Store) => store.page("s", { limit: 1_000 }).length;
const notes = () => rescueNotes(file).map((note) => JSON.parse(note));
const damagedSets = () => (existsSync(join(folder, "damaged")) ? readdirSync(join(folder, "damaged")) : []);

describe("what is no database of Lares is set aside whole, and a new one is there", () => {
  const strangers: Record<string, () => void> = {
    "zero bytes": () => writeFileSync(file, ""),
    "a text": () => writeFileSync(file, "Dear diary, ".repeat(1_000)),
    "a database of another program": () => {
      const other = new Sqlite(file);
      other.exec("CREATE TABLE note (text TEXT)");
      other.close();
    },
    "a journal without its database": () => writeFileSync(`${file}-wal`, "some journal that somebody left"),
    "a journal that is a text": () => {
      filled(1);
      writeFileSync(`${file}-wal`, "Dear diary, ".repeat(1_000));
    },
  };
  test.each(Object.entries(strangers).flatMap(([what, make]) => [true, false].map((must) => ({ what, make, must }))))(
    "$what (a window: $must)",
    async ({ make, must }) => {
      make();
      const before = new Map(
        ["", "-wal"].flatMap((end) => (existsSync(file + end) ? [[end, readFileSync(file + end)]] : [])),
      );
      const { store, storage } = await opened({ mustOpen: must });
      expect(storage).toEqual({ mode: "normal" });
      store.setSetting("a", "1");
      expect(store.check()).toEqual([]);
      const [set = "", ...more] = damagedSets();
      expect(more).toEqual([]);
      for (const [end, bytes] of before)
        expect(readFileSync(join(folder, "damaged", set, `lares.db${end}`))).toEqual(bytes);
      expect(notes()).toMatchObject([{ keptAs: join(folder, "damaged", set) }]);
    },
  );
});

test("of a database that lost its end, what can be read is in the new one", async () => {
  filled();
  truncateSync(file, statSync(file).size - 2_048 * 20);
  const { store, storage } = await opened();
  expect(storage.mode).toBe("normal");
  const [note] = notes();
  expect(note.recovered).toBe(rowsIn(store));
  expect([note.recovered > 100, note.recovered <= note.total]).toEqual([true, true]);
  expect(store.check()).toEqual([]);
});

test("who found damage in a database that opens has it set aside at the next start, once", async () => {
  filled();
  writeFileSync(join(folder, "rescue-wanted"), "");
  const first = await opened();
  expect([rowsIn(first.store), damagedSets().length]).toEqual([200, 1]);
  first.store.close();
  first.release();
  await opened();
  expect(damagedSets()).toHaveLength(1);
});

describe("killed while a damaged database is replaced, the next start goes on", () => {
  const damage = () => {
    filled();
    const half = readFileSync(file);
    half.fill(0, 100, 2_048); // the schema; every other page reads
    writeFileSync(file, half);
    copyFileSync(file, join(folder, "before"));
  };
  const isSame = async () => {
    const { store, storage } = await opened({ mustOpen: false });
    expect([storage.mode, rowsIn(store), store.check()]).toEqual(["normal", 200, []]);
    const [set = "", ...more] = damagedSets();
    expect(more).toEqual([]);
    expect(readFileSync(join(folder, "damaged", set, "lares.db"))).toEqual(readFileSync(join(folder, "before")));
    expect(notes()).toMatchObject([{ recovered: 200, total: 200 }]);
    expect(existsSync(`${file}.rescued`)).toBe(false);
    return join(folder, "damaged", set);
  };

  test("when nothing was moved yet", async () => {
    damage();
    await isSame();
  });

  test("when the database was moved, and not what is beside it", async () => {
    damage();
    const aside = join(await setAside(file), "..");
    writeFileSync(`${file}-wal`, "a journal that was not moved yet");
    await isSame();
    expect(readFileSync(join(aside, "lares.db-wal"), "utf8")).toBe("a journal that was not moved yet");
  });

  test("when all was moved, and half of a new one made", async () => {
    damage();
    await setAside(file);
    writeFileSync(`${file}.rescued`, "half a database");
    writeFileSync(`${file}.rescued.rescue`, "half a database");
    await isSame();
  });

  test("when the new one was noted and had not its name yet", async () => {
    damage();
    const first = await opened();
    first.store.close();
    first.release();
    renameSync(file, `${file}.rescued`);
    await isSame();
  });
});

describe("a window opens", () => {
  test("to be read, on a database of a newer Lares", async () => {
    filled();
    const sqlite = new Sqlite(file);
    sqlite.pragma("user_version = 9");
    sqlite.close();
    const { store, storage, recovered } = await opened();
    expect(storage).toMatchObject({ mode: "read-only", error: { code: "data-newer" } });
    expect([rowsIn(store), recovered]).toEqual([200, []]);
    const refused = () => store.accept({ id: "i", sessionId: "s", channel: "window", text: "hello", createdAt: 1 });
    expect(refused).toThrow(/install the newer version/);
    await expect(opened({ mustOpen: false })).rejects.toThrow(expect.objectContaining({ code: "data-busy" }));
  });

  test("to be read, while another Lares has the folder, and sees what that one writes", async () => {
    filled(3);
    const lock = await lockDataFolder(folder, { waitMs: 0 });
    const other = createStore(file);
    const { store, storage } = await opened();
    expect(storage).toMatchObject({ mode: "read-only", error: { code: "data-busy" } });
    other.setSetting("a", "1");
    expect(store.setting("a")).toBe("1");
    expect(() => store.setSetting("a", "2")).toThrow(expect.objectContaining({ code: "data-busy" }));
    other.close();
    lock.release();
  });

  const hopeless: Record<string, [make: () => string, code: string]> = {
    "where a folder has the database's name": [
      () => {
        mkdirSync(file);
        return folder;
      },
      "data-folder",
    ],
    "where the data folder is a file": [
      () => {
        writeFileSync(join(folder, "file"), "");
        return join(folder, "file");
      },
      "data-folder",
    ],
    "where the path is longer than any may be": [() => join(folder, "n".repeat(600)), "data-folder"],
    "where a newer Lares keeps nothing we know": [
      () => {
        const sqlite = new Sqlite(file);
        sqlite.exec("CREATE TABLE conversation (text TEXT)");
        sqlite.pragma("user_version = 9");
        sqlite.close();
        return folder;
      },
      "data-newer",
    ],
  };
  test.each(Object.entries(hopeless))(
    "%s: what is said is kept in memory, and why is said",
    async (_, [make, code]) => {
      const dataFolder = make();
      const { store, storage, release } = await opened({ dataFolder });
      expect(storage).toMatchObject({ mode: "none", error: { code } });
      release();
      storedTurn(store);
      store.append(aRow("kept for now"));
      expect(store.page("s", { limit: 9 }).map(({ parts }) => textOf(parts))).toEqual(["kept for now"]);
      await expect(opened({ dataFolder, mustOpen: false })).rejects.toThrow(expect.objectContaining({ code }));
    },
  );

  test.each(Object.entries(hopeless))("%s: the whole app answers its page", async (_, [make, code]) => {
    const provider = scriptedProvider([says("Fine")]);
    const app = await createApp({ dataFolder: make(), mustOpen: "always", waitMs: 0, provider });
    onTestFinished(() => app.close());
    const page = aPage(app.desk);
    expect(await page.call("app.hello", {})).toMatchObject({ storage: { mode: "none", error: { code } } });
    expect(await page.call("health.report", {})).toMatchObject({ storage: { mode: "none" } });
    expect(textOf((await page.say("c", "hello")).rows.at(-1)?.parts ?? [])).toBe("Fine");
  });

  test("where only reading is possible: a message is refused with the reason, and nothing is written", async () => {
    filled(3);
    const lock = await lockDataFolder(folder, { waitMs: 0 });
    const before = readFileSync(file);
    const app = await createApp({ dataFolder: folder, mustOpen: "always", waitMs: 0, provider: scriptedProvider([]) });
    const page = aPage(app.desk);
    const sent = page.call("turns.send", { chatId: "s", inboundId: "i", text: "hello" });
    await expect(sent).rejects.toThrow(/Another Lares is using/);
    const { turns, waiting } = await page.call("chats.open", { chatId: "s" });
    expect([turns.map(({ turn }) => turn.id), waiting]).toEqual([["t"], []]);
    await app.close();
    lock.release();
    expect(readFileSync(file)).toEqual(before);
  });

  test("and a disk that could not be written is used again at the next start", async () => {
    filled(3);
    rmSync(join(folder, "lock"), { force: true });
    mkdirSync(join(folder, "lock")); // no lock can be had
    const first = await opened();
    expect([first.storage.mode, rowsIn(first.store)]).toEqual(["read-only", 3]);
    first.store.close();
    rmSync(join(folder, "lock"), { recursive: true });
    expect((await opened()).storage).toEqual({ mode: "normal" });
  });
});
