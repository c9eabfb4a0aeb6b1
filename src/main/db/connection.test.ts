import { chmodSync, copyFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { aRow, storedTurn, temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import { connect } from "./connection.ts";
import { createStore, storeOn } from "./store.ts";
import { toStoreError } from "./store-errors.ts";

const aStore = () => {
  const store = createStore(":memory:");
  storedTurn(store);
  return store;
};

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (thrown) {
    return thrown instanceof AppError ? thrown.code : `not an AppError: ${thrown}`;
  }
  return "nothing was thrown";
};

describe("atomically", () => {
  test("gives back what the work gives back and keeps all of it", () => {
    const store = aStore();
    const rows = store.atomically(() => [store.append(aRow("one")), store.append(aRow("two"))]);
    expect(store.page("s", { limit: 9 })).toEqual(rows);
  });

  test("a failure undoes everything, also what was done in an inner call", () => {
    const store = aStore();
    const work = () => {
      store.append(aRow("one"));
      store.atomically(() => store.append(aRow("two")));
      throw new Error("the plan changed");
    };
    expect(() => store.atomically(work)).toThrow("the plan changed");
    expect(store.page("s", { limit: 9 })).toEqual([]);
  });

  test("a failure in an inner call undoes the whole, even if somebody in between caught it", () => {
    const store = aStore();
    const caught: string[] = [];
    const work = () => {
      store.append(aRow("one"));
      caught.push(codeOf(() => store.atomically(() => store.setCall("t", "none", { state: "running" }))));
      caught.push(codeOf(() => store.append(aRow("two"))));
    };
    expect(codeOf(() => store.atomically(work))).toBe("not-found");
    expect(caught).toEqual(["not-found", "not-found"]); // nothing goes on after the failure
    expect(store.page("s", { limit: 9 })).toEqual([]);
    store.append(aRow("three"));
    expect(store.page("s", { limit: 9 })).toHaveLength(1);
  });

  test("work that would go on later is refused and undone", () => {
    const store = aStore();
    const work = async () => void store.append(aRow("one"));
    expect(codeOf(() => store.atomically(work))).toBe("internal");
    expect(store.page("s", { limit: 9 })).toEqual([]);
  });

  test("nobody else reads half of it", () => {
    const path = join(temporaryFolder(), "lares.db");
    const store = createStore(path);
    const reader = new Sqlite(path, { readonly: true });
    const count = reader.prepare("SELECT count(*) FROM setting").pluck();
    store.atomically(() => {
      store.setSetting("a", "1");
      expect(count.get()).toBe(0);
      store.setSetting("b", "2");
    });
    expect(count.get()).toBe(2);
    reader.close();
    store.close();
  });
});

describe("trouble with the disk", () => {
  test("a full disk refuses the write, keeps what was there, and goes on when there is room again", () => {
    const path = join(temporaryFolder(), "lares.db");
    createStore(path).close();
    const sqlite = new Sqlite(path);
    const store = storeOn(connect(sqlite, path));
    storedTurn(store);
    store.append(aRow("before"));
    const pages = Number(sqlite.pragma("page_count", { simple: true }));
    sqlite.pragma(`max_page_count = ${pages + 20}`);
    const big = aRow("x".repeat(1_000_000), { role: "assistant" });
    expect(codeOf(() => store.append(big))).toBe("disk-full");
    expect(codeOf(() => store.atomically(() => [store.setSetting("a", "1"), store.append(big)]))).toBe("disk-full");
    expect(store.setting("a")).toBeUndefined();
    expect(store.page("s", { limit: 9 })).toHaveLength(1);
    sqlite.pragma("max_page_count = 1000000");
    store.append(big);
    expect(store.page("s", { limit: 9 })).toHaveLength(2);
    expect(store.check()).toEqual([]);
    store.close();
  });

  test("a database that may only be read is read, and a write says what is wrong", () => {
    const path = join(temporaryFolder(), "lares.db");
    const writable = createStore(path);
    storedTurn(writable);
    const store = storeOn(connect(new Sqlite(path, { readonly: true }), path));
    expect(store.turn("t")?.state).toBe("restore");
    expect(() => store.append(aRow("no"))).toThrow(`${path} cannot be written. Allow writing`);
    expect(codeOf(() => store.append(aRow("no")))).toBe("data-read-only");
    store.close();
    writable.close();
  });

  test("a database that another program holds is busy", () => {
    const path = join(temporaryFolder(), "lares.db");
    createStore(path).close();
    const other = new Sqlite(path);
    other.exec("BEGIN IMMEDIATE");
    const store = storeOn(connect(new Sqlite(path, { timeout: 0 }), path));
    expect(codeOf(() => store.setSetting("a", "1"))).toBe("data-busy");
    other.exec("ROLLBACK");
    store.setSetting("a", "1");
    expect(store.setting("a")).toBe("1");
    other.close();
    store.close();
  });

  const losses: Record<string, (path: string) => void> = {
    moved: (path) => renameSync(path, `${path}.moved`),
    deleted: (path) => rmSync(path),
    replaced: (path) => {
      copyFileSync(path, `${path}.copy`);
      renameSync(`${path}.copy`, path);
    },
  };
  test.each(Object.entries(losses))("a database that was %s while in use takes no more writes", (_, lose) => {
    const path = join(temporaryFolder(), "lares.db");
    const store = createStore(path);
    store.setSetting("a", "1");
    lose(path);
    expect(codeOf(() => store.setSetting("a", "2"))).toBe("data-folder");
    expect(store.setting("a")).toBe("1");
    store.close();
  });

  test("other rights on the file while it is open change nothing for the one who has it open", () => {
    const path = join(temporaryFolder(), "lares.db");
    const store = createStore(path);
    chmodSync(path, 0o400);
    store.setSetting("a", "1");
    expect(store.setting("a")).toBe("1");
    store.close();
  });

  const codes: [reason: string, code: ErrorCode][] = [
    ["SQLITE_FULL", "disk-full"],
    ["ENOSPC", "disk-full"],
    ["EDQUOT", "disk-full"],
    ["SQLITE_IOERR", "disk-error"],
    ["SQLITE_IOERR_FSYNC", "disk-error"],
    ["EIO", "disk-error"],
    ["SQLITE_READONLY", "data-read-only"],
    ["SQLITE_READONLY_DBMOVED", "data-read-only"],
    ["EROFS", "data-read-only"],
    ["EACCES", "data-read-only"],
    ["SQLITE_CORRUPT", "data-damaged"],
    ["SQLITE_CORRUPT_VTAB", "data-damaged"],
    ["SQLITE_NOTADB", "data-damaged"],
    ["SQLITE_BUSY_SNAPSHOT", "data-busy"],
    ["SQLITE_CANTOPEN", "data-folder"],
    ["ENAMETOOLONG", "data-folder"],
    ["SQLITE_CONSTRAINT_TRIGGER", "bad-request"],
    ["SQLITE_NOMEM", "internal"],
  ];
  test.each(codes)("%s is %s, and the message names the file", (reason, code) => {
    const error = toStoreError("/data/lares.db", Object.assign(new Error("broken"), { code: reason }));
    expect(error).toMatchObject({ code });
    expect(String(error)).toContain("/data/lares.db");
  });

  test("an error that is not the disk's stays what it is", () => {
    const error = new TypeError("a bug");
    expect(toStoreError("/data/lares.db", error)).toBe(error);
  });

  test("an error without a code passes through the store as it is", () => {
    const error = new RangeError("a bug");
    const store = aStore();
    const fail = () => {
      throw error;
    };
    expect(() => store.atomically(fail)).toThrow(error);
  });
});
