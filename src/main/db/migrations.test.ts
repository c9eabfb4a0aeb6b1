import { join } from "node:path";
import Sqlite, { type Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import { migrate } from "./migrations.ts";

let sqlite: Database;
let file: string;
beforeEach(() => {
  file = join(temporaryFolder(), "some.db");
  sqlite = new Sqlite(file);
});
afterEach(() => {
  sqlite.close();
});

const first = "CREATE TABLE pet (name TEXT) STRICT; INSERT INTO pet VALUES ('cat');";
const second = "ALTER TABLE pet ADD COLUMN age INTEGER; UPDATE pet SET age = 3;";
const version = () => sqlite.pragma("user_version", { simple: true });
const pets = () => sqlite.prepare("SELECT * FROM pet").all();

test("a database goes through the migrations it has not seen, each once and in order", () => {
  migrate(sqlite, file, [first]);
  expect([version(), pets()]).toEqual([1, [{ name: "cat" }]]);
  migrate(sqlite, file, [first, second]);
  migrate(sqlite, file, [first, second]);
  expect([version(), pets()]).toEqual([2, [{ name: "cat", age: 3 }]]);
});

test("a migration that breaks leaves the one before it, whole, and can be tried again", () => {
  const broken = `${second} INSERT INTO nowhere VALUES (1);`;
  expect(() => migrate(sqlite, file, [first, broken])).toThrow("no such table: nowhere");
  expect([version(), pets()]).toEqual([1, [{ name: "cat" }]]);
  migrate(sqlite, file, [first, second]);
  expect([version(), pets()]).toEqual([2, [{ name: "cat", age: 3 }]]);
});

test("a newer schema is refused, with both numbers", () => {
  migrate(sqlite, file, [first, second]);
  expect(() => migrate(sqlite, file, [first])).toThrow(
    /some\.db was written by a newer Lares \(schema 2, .* knows 1\)/,
  );
});
