import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import Sqlite from "better-sqlite3";
import { createStore } from "../../src/main/db/store.ts";
import type { Seeded } from "../support/seeded.ts";

export const PAGE = 2048;

/** What is done to a data folder, and how many pages of the database are bad after it. */
export interface DamageKind {
  readonly name: string;
  /** Absent: more than a rescue without a backup can be held to. */
  readonly pages?: number;
  readonly damage: (file: string, random: Seeded) => void;
}

/** The pages of a table or an index, its root first, then level by level. */
export function pagesOf(file: string, name: string): number[] {
  const sqlite = new Sqlite(file, { readonly: true });
  const root = Number(sqlite.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name));
  sqlite.close();
  const bytes = readFileSync(file);
  const childrenOf = (page: number): number[] => {
    const start = (page - 1) * PAGE;
    if (bytes[start] !== 2 && bytes[start] !== 5) return [];
    const cells = Array.from({ length: bytes.readUInt16BE(start + 3) }, (_, cell) =>
      bytes.readUInt32BE(start + bytes.readUInt16BE(start + 12 + cell * 2)),
    );
    return [...cells, bytes.readUInt32BE(start + 8)];
  };
  const all: number[] = [];
  for (let level = [root]; level.length > 0; level = level.flatMap(childrenOf)) all.push(...level);
  return all;
}

const rewrite = (file: string, change: (bytes: Buffer) => Buffer | undefined): void => {
  const bytes = readFileSync(file);
  writeFileSync(file, change(bytes) ?? bytes);
};
const pageOf = (bytes: Buffer, page: number): Buffer => bytes.subarray((page - 1) * PAGE, page * PAGE);
const noise = (bytes: Buffer, random: Seeded): void => {
  for (let at = 0; at < bytes.length; at++) bytes[at] = random.between(0, 255);
};

/** A change of the first hundred bytes. */
const header = (name: string, change: (bytes: Buffer, random: Seeded) => void): DamageKind => ({
  name: `header: ${name}`,
  pages: 1,
  damage: (file, random) => rewrite(file, (bytes) => void change(bytes, random)),
});

const headers: readonly DamageKind[] = [
  header("the magic", (bytes) => bytes.write("SQLite format 9")),
  header("another page size", (bytes) => bytes.writeUInt16BE(4096, 16)),
  header("no page size", (bytes) => bytes.writeUInt16BE(0, 16)),
  header("an unknown version", (bytes) => bytes.fill(9, 18, 20)),
  header("reserved space", (bytes) => bytes.writeUInt8(32, 20)),
  header("payload fractions", (bytes) => bytes.fill(1, 21, 24)),
  header("a page count of one", (bytes) => bytes.writeUInt32BE(1, 28)),
  header("a page count too large", (bytes) => bytes.writeUInt32BE(9_999_999, 28)),
  header("a list of free pages that is none", (bytes) => {
    bytes.writeUInt32BE(5, 32);
    bytes.writeUInt32BE(40, 36);
  }),
  header("another schema format", (bytes) => bytes.writeUInt32BE(77, 44)),
  header("another encoding", (bytes) => bytes.writeUInt32BE(2, 56)),
  header("no schema version", (bytes) => bytes.writeUInt32BE(0, 60)),
  header("sixteen zeros", (bytes) => bytes.fill(0, 0, 16)),
  header("a hundred zeros", (bytes) => bytes.fill(0, 0, 100)),
  header("noise", (bytes, random) => noise(bytes.subarray(0, 100), random)),
];

const schemas: readonly DamageKind[] = [
  header("the schema is zeros", (bytes) => bytes.fill(0, 100, PAGE)),
  header("the schema is noise", (bytes, random) => noise(bytes.subarray(100, PAGE), random)),
  header("the schema names another table", (bytes) => {
    const at = bytes.lastIndexOf("CREATE TABLE");
    if (at > 0) bytes.write("CREATE TUBLE", at);
  }),
];

/** Wipes, or does worse to, one page of a table or an index. `at`: 0 its root, else one of its other pages. */
const onPage = (
  table: string,
  place: "root" | "leaf",
  what: string,
  change: (page: Buffer, random: Seeded, bytes: Buffer) => void = (page) => void page.fill(0),
): DamageKind => ({
  name: `${table}: its ${place} ${what}`,
  pages: 1,
  damage(file, random) {
    const pages = pagesOf(file, table);
    const number = place === "root" ? (pages[0] ?? 1) : (pages.at(-random.between(1, Math.min(8, pages.length))) ?? 1);
    rewrite(file, (bytes) => void change(pageOf(bytes, number), random, bytes));
  },
});

const tables = ["message", "turn", "inbound", "session", "tool_call", "trace", "request_sent"];
const indexes = ["message_session", "turn_session", "turn_parent"];
const searches = ["message_word_data", "message_trigram_data", "message_word_idx"];

const zeroed: readonly DamageKind[] = [...tables, ...indexes, ...searches].flatMap((table) => [
  onPage(table, "root", "is zeros"),
  onPage(table, "leaf", "is zeros"),
]);

const worse: readonly DamageKind[] = [
  onPage("message", "leaf", "is noise", (page, random) => noise(page, random)),
  onPage("message", "root", "is noise", (page, random) => noise(page, random)),
  onPage("message", "leaf", "has too many cells", (page) => page.writeUInt16BE(60_000, 3)),
  onPage("message", "leaf", "has its cells nowhere", (page, random) => noise(page.subarray(8, 24), random)),
  onPage("message", "leaf", "is half written", (page) => page.fill(0, PAGE / 2)),
  onPage("message", "leaf", "is a page of an index", (page) => page.writeUInt8(10, 0)),
  onPage("message", "root", "leads nowhere", (page, random) => page.writeUInt32BE(random.between(2, 100), 8)),
  onPage("message_session", "leaf", "is noise", (page, random) => noise(page, random)),
  {
    name: "two pages of the messages are swapped",
    pages: 2,
    damage(file) {
      const [one = 1, other = 1] = pagesOf(file, "message").slice(-6);
      rewrite(file, (bytes) => {
        const kept = Buffer.from(pageOf(bytes, one));
        pageOf(bytes, other).copy(bytes, (one - 1) * PAGE);
        kept.copy(bytes, (other - 1) * PAGE);
        return undefined;
      });
    },
  },
  {
    name: "a page of the messages is there twice, in the place of another",
    pages: 1,
    damage(file) {
      const [one = 1, other = 1] = pagesOf(file, "message").slice(-6);
      rewrite(file, (bytes) => void pageOf(bytes, one).copy(bytes, (other - 1) * PAGE));
    },
  },
];

const randomPages = (count: number, what: (page: Buffer, random: Seeded) => void, name: string): DamageKind => ({
  name,
  ...(count <= 3 && { pages: count }),
  damage: (file, random) =>
    rewrite(file, (bytes) => {
      for (let page = 0; page < count; page++) {
        what(pageOf(bytes, random.between(1, Math.floor(bytes.length / PAGE))), random);
      }
      return undefined;
    }),
});

const anywhere: readonly DamageKind[] = [
  randomPages(1, (page) => void page.fill(0), "one page anywhere is zeros"),
  randomPages(3, (page) => void page.fill(0), "three pages anywhere are zeros"),
  randomPages(3, (page, random) => noise(page, random), "three pages anywhere are noise"),
  randomPages(10, (page) => void page.fill(0), "ten pages anywhere are zeros"),
  randomPages(40, (page, random) => noise(page, random), "forty pages anywhere are noise"),
];

const bySql = (name: string, ...lines: string[]): DamageKind => ({
  name,
  pages: 0,
  damage(file) {
    const sqlite = new Sqlite(file);
    sqlite.unsafeMode();
    for (const line of lines) sqlite.exec(line);
    sqlite.close();
  },
});

const searchOnly: readonly DamageKind[] = [
  bySql("search is empty", "INSERT INTO message_word (message_word) VALUES ('delete-all')"),
  bySql("a piece of search is gone", "DELETE FROM message_trigram_data WHERE id > 10"),
  bySql("search has no sizes", "DELETE FROM message_word_docsize WHERE id % 3 = 0"),
];

/** The journal beside the database; the database itself is whole. */
const journal = (name: string, make: (file: string, random: Seeded) => void): DamageKind => ({
  name: `journal: ${name}`,
  pages: 0,
  damage: make,
});

function otherJournal(file: string, fill: (other: string) => { close(): void }): void {
  const other = `${file}.other`;
  const open = fill(other);
  copyFileSync(`${other}-wal`, `${file}-wal`);
  open.close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(`${other}${suffix}`, { force: true });
}

const journals: readonly DamageKind[] = [
  journal("noise", (file, random) => {
    const bytes = Buffer.alloc(50_000);
    noise(bytes, random);
    writeFileSync(`${file}-wal`, bytes);
  }),
  journal("a text", (file) => writeFileSync(`${file}-wal`, "Dear diary, ".repeat(999))),
  journal("zeros", (file) => writeFileSync(`${file}-wal`, Buffer.alloc(40_000))),
  journal("of another program", (file) =>
    otherJournal(file, (other) => {
      const sqlite = new Sqlite(other);
      sqlite.pragma("page_size = 2048");
      sqlite.pragma("journal_mode = wal");
      sqlite.exec("CREATE TABLE note (text TEXT)");
      for (let note = 0; note < 200; note++) sqlite.prepare("INSERT INTO note VALUES (?)").run("word ".repeat(60));
      return sqlite;
    }),
  ),
  journal("of another Lares", (file) =>
    otherJournal(file, (other) => {
      const store = createStore(other);
      for (let number = 0; number < 40; number++) {
        store.accept({ id: `other ${number}`, sessionId: "other", channel: "test", text: "another", createdAt: 1e12 });
      }
      return store;
    }),
  ),
  journal("a shared index that is noise", (file, random) => {
    const bytes = Buffer.alloc(32_768);
    noise(bytes, random);
    writeFileSync(`${file}-shm`, bytes);
  }),
];

const cut = (name: string, change: (bytes: Buffer, random: Seeded) => Buffer, pages?: number): DamageKind => ({
  name: `file: ${name}`,
  ...(pages !== undefined && { pages }),
  damage: (file, random) => rewrite(file, (bytes) => change(bytes, random)),
});

const files: readonly DamageKind[] = [
  cut("no bytes", () => Buffer.alloc(0)),
  cut("a text", () => Buffer.from("Dear diary, ".repeat(500))),
  cut("zeros", (bytes) => Buffer.alloc(bytes.length)),
  cut("noise", (bytes, random) => {
    noise(bytes, random);
    return bytes;
  }),
  cut("cut to one page", (bytes) => bytes.subarray(0, PAGE)),
  cut("cut to half", (bytes) => bytes.subarray(0, Math.floor(bytes.length / PAGE / 2) * PAGE)),
  cut("cut in the middle of a page", (bytes) => bytes.subarray(0, bytes.length - PAGE - 700), 2),
  cut("without its last page", (bytes) => bytes.subarray(0, bytes.length - PAGE), 1),
  cut("longer than it was", (bytes) => Buffer.concat([bytes, Buffer.from("more ".repeat(300))]), 0),
  cut("moved by a sector", (bytes) => Buffer.concat([Buffer.alloc(512), bytes])),
  {
    name: "file: of another program",
    damage(file) {
      rmSync(file);
      const sqlite = new Sqlite(file);
      sqlite.exec("CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('mine')");
      sqlite.close();
    },
  },
  {
    name: "file: gone, and only its journal there",
    damage(file) {
      copyFileSync(file, `${file}-wal`);
      if (existsSync(file)) rmSync(file);
    },
  },
];

export const damageKinds: readonly DamageKind[] = [
  ...headers,
  ...schemas,
  ...zeroed,
  ...worse,
  ...anywhere,
  ...searchOnly,
  ...journals,
  ...files,
];
