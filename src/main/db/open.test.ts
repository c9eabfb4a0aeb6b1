import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { openDatabase, requireEngine } from "./open.ts";
import { createStore } from "./store.ts";

let path: string;
beforeEach(() => {
  path = join(temporaryFolder(), "lares.db");
});

const pragma = (name: string) => {
  const connection = openDatabase(path);
  const value = connection.statement(`PRAGMA ${name}`).pluck().get();
  connection.close();
  return value;
};

test("every open sets what makes a commit durable and the file trustworthy, a second open too", () => {
  const expected = {
    journal_mode: "wal",
    synchronous: 2,
    foreign_keys: 1,
    trusted_schema: 0,
    cell_size_check: 1,
    mmap_size: 0,
    temp_store: 2,
    secure_delete: 1,
    busy_timeout: 5_000,
    journal_size_limit: 67_108_864,
    fullfsync: 1,
    checkpoint_fullfsync: 1,
    recursive_triggers: 1,
    page_size: 2_048,
    user_version: 4,
  };
  for (const time of ["first", "second"]) {
    const actual = Object.fromEntries(Object.keys(expected).map((name) => [name, pragma(name)]));
    expect(actual, time).toEqual(expected);
  }
});

test("a new database belongs to its owner alone and leaves nothing else behind", () => {
  createStore(path).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, ".."))).toEqual(["lares.db"]);
});

test("what a crash left of a new database is made anew", () => {
  writeFileSync(`${path}.new`, "half made");
  writeFileSync(`${path}.new-wal`, "half made");
  const store = createStore(path);
  expect(store.check()).toEqual([]);
  store.close();
  expect(readdirSync(join(path, ".."))).toEqual(["lares.db"]);
});

test.each(["3.7.0", "3.51.2", "3.6.100"])("SQLite %s is refused", (version) => {
  expect(() => requireEngine(version)).toThrow(/can damage databases/);
});

test.each(["3.51.3", "3.54.1", "3.100.0", "4.0.0"])("SQLite %s is accepted", (version) => {
  expect(() => requireEngine(version)).not.toThrow();
});

describe("what is not our database", () => {
  const filled = (name: string) => {
    const store = createStore(name);
    storedTurn(store);
    store.atomically(() => {
      for (let number = 0; number < 300; number++) store.append(aRow(`row ${number} ${"words ".repeat(20)}`));
    });
    store.close();
  };
  const strangers: Record<string, (name: string) => void> = {
    "an empty file": (name) => writeFileSync(name, ""),
    "a text file": (name) => writeFileSync(name, "Dear diary, ".repeat(1_000)),
    "a short text file": (name) => writeFileSync(name, "hi"),
    "a database of another program": (name) => {
      const other = new Sqlite(name);
      other.exec("CREATE TABLE note (text TEXT)");
      other.close();
    },
    "a database with a broken header": (name) => {
      filled(name);
      overwrite(name, 0, Buffer.from("SQLite format 9"));
    },
    "a database whose schema is zeroed": (name) => {
      filled(name);
      overwrite(name, 100, Buffer.alloc(1_948));
    },
    "a database that lost its end": (name) => {
      filled(name);
      truncateSync(name, 2_048);
    },
    "an empty file beside its journal": (name) => {
      filled(name);
      writeFileSync(`${name}-wal`, readFileSync(name));
      truncateSync(name, 0);
    },
    "a journal without its database": (name) => {
      filled(name);
      writeFileSync(`${name}-wal`, readFileSync(name));
      rmSync(name);
    },
  };
  test.each(Object.entries(strangers))("%s is refused as damaged and left as it is", (_, make) => {
    make(path);
    const before = contents(join(path, ".."));
    expect(() => createStore(path)).toThrow(expect.objectContaining({ code: "data-damaged" }));
    expect(() => createStore(path)).toThrow(/lares\.db.* keeps the file aside and brings over what can be read/);
    expect(contents(join(path, ".."))).toEqual(before);
  });

  const madeNewer = (change = "") => {
    filled(path);
    const sqlite = new Sqlite(path);
    sqlite.exec(change);
    sqlite.pragma("user_version = 7");
    sqlite.close();
    return contents(join(path, ".."));
  };

  test("a database of a newer Lares is read, each write says what to do, and it is left as it is", () => {
    const before = madeNewer();
    const store = createStore(path);
    expect(store.readOnly).toMatchObject({ code: "data-newer" });
    expect(store.page("s", { limit: 1_000 })).toHaveLength(300);
    expect(() => store.append(aRow("no"))).toThrow(/schema 7.*install the newer version/);
    store.close();
    expect(contents(join(path, ".."))).toEqual(before);
  });

  test("what a newer Lares has changed in its tables is not called damage", () => {
    madeNewer("ALTER TABLE setting RENAME COLUMN value TO content");
    const store = createStore(path);
    expect(() => store.setting("settings")).toThrow(expect.objectContaining({ code: "data-newer" }));
    expect(store.page("s", { limit: 1_000 })).toHaveLength(300);
    store.close();
  });

  test("a database of another program that calls itself a version of ours is damaged, not older", () => {
    const other = new Sqlite(path);
    other.exec("CREATE TABLE note (text TEXT)");
    other.pragma("user_version = 1");
    other.close();
    expect(() => createStore(path)).toThrow(expect.objectContaining({ code: "data-damaged" }));
  });

  test("a folder is no database, and neither is a file in a folder that is not there", () => {
    mkdirSync(path);
    expect(() => createStore(path)).toThrow(expect.objectContaining({ code: "data-folder" }));
    const nowhere = join(path, "none", "lares.db");
    expect(() => createStore(nowhere)).toThrow(expect.objectContaining({ code: "data-folder" }));
  });
});

describe("a journal of a run that was killed", () => {
  /** A database and its journal, as a kill leaves them: the last rows are in the journal only. */
  const killed = (name: string) => {
    const living = join(temporaryFolder(), "lares.db");
    const store = createStore(living);
    storedTurn(store);
    for (let number = 0; number < 20; number++) store.append(aRow(`row ${number}`));
    for (const suffix of ["", "-wal"]) copyFileSync(living + suffix, name + suffix);
    store.close();
  };
  const rows = () => {
    const store = createStore(path);
    const count = store.page("s", { limit: 99 }).length;
    store.close();
    return count;
  };

  test("is brought in", () => {
    killed(path);
    expect(rows()).toBe(20);
  });

  test("that lost its end gives what is whole of it", () => {
    killed(path);
    truncateSync(`${path}-wal`, statSync(`${path}-wal`).size - 100);
    expect(rows()).toBe(19);
  });

  test("that holds something else is damage, and is left as it is", () => {
    killed(path);
    overwrite(`${path}-wal`, 0, Buffer.from("Dear diary, today"));
    const before = contents(join(path, ".."));
    expect(rows).toThrow(expect.objectContaining({ code: "data-damaged" }));
    expect(contents(join(path, ".."))).toEqual(before);
  });

  test("that is of another database of Lares, with the same tables, does not get into this one", () => {
    const long = (name: string, rows: number) => {
      const store = createStore(name);
      storedTurn(store);
      for (let number = 0; number < rows; number++) store.append(aRow(`${name} ${number} ${"words ".repeat(40)}`));
      store.close();
    };
    long(path, 300);
    const ours = readFileSync(path);
    const other = join(temporaryFolder(), "lares.db");
    long(other, 120);
    const store = createStore(other); // its journal begins behind the tables, which are the same in both
    for (let number = 0; number < 20; number++) store.append(aRow(`more ${number} ${"words ".repeat(40)}`));
    copyFileSync(`${other}-wal`, `${path}-wal`);
    store.close();
    expect(() => createStore(path).close()).toThrow(expect.objectContaining({ code: "data-damaged" }));
    expect(readFileSync(path)).toEqual(ours);
  });

  test("that is of another database does not get into this one", () => {
    const store = createStore(path);
    storedTurn(store);
    for (let number = 0; number < 300; number++) store.append(aRow(`ours ${number} ${"words ".repeat(20)}`));
    store.close();
    const ours = readFileSync(path);
    killed(join(path, "..", "other"));
    copyFileSync(join(path, "..", "other-wal"), `${path}-wal`);
    expect(() => createStore(path).close()).toThrow(expect.objectContaining({ code: "data-damaged" }));
    expect(readFileSync(path)).toEqual(ours);
  });
});

function overwrite(name: string, position: number, bytes: Buffer): void {
  const descriptor = openSync(name, "r+");
  writeSync(descriptor, bytes, 0, bytes.length, position);
  closeSync(descriptor);
}

/** What is in a folder, but for the shared memory of a journal and an empty journal, which hold nothing. */
const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.endsWith("-shm") && (!name.endsWith("-wal") || statSync(join(folder, name)).size > 0))
      .map((name) => [name, readFileSync(join(folder, name), "base64")]),
  );
