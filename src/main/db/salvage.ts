import { rmSync } from "node:fs";
import { AppError, toWire } from "../../shared/errors.ts";
import { MessageKind, MessageStatus, Origin, Role } from "../../shared/message.ts";
import { newestSound } from "./backup.ts";
import type { Connection } from "./connection.ts";
import { giveName } from "./files.ts";
import { hashOf, type MessageContent, type MessageRow, toMessage } from "./message-row.ts";
import { openDatabase } from "./open.ts";
import { isReadable, type Packed } from "./requests.ts";
import { type Row, readLayouts } from "./salvage/layouts.ts";
import { mend } from "./salvage/mend.ts";
import { readSource } from "./salvage/sources.ts";
import { rebuildIndexes, searchText } from "./search-index.ts";

export interface RescueOptions {
  /** The database file of the damaged set; its journal is beside it. Only read. */
  readonly damaged: string;
  readonly backupsFolder: string;
  /** Where the new database goes. Nothing may be there. */
  readonly target: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface RescueResult {
  /** Messages that are what was written, of those that are known to have been there. */
  readonly recovered: number;
  readonly total: number;
  /** The backup that filled the holes; absent: there was none. */
  readonly base?: string;
}

/**
 * Makes a new database of what can be read of a damaged one, and of the newest sound backup where that has what is lost.
 * Every page is read for itself, so that no damaged one hides another. It may be killed at any point: the damaged set
 * and the backup are only read, and the new one gets its name when it is whole and on the disk.
 */
export function rescue({ damaged, backupsFolder, target, now }: RescueOptions): RescueResult {
  const part = `${target}.rescue`;
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(`${part}${suffix}`, { force: true });
  const base = newestSound(backupsFolder);
  const connection = openDatabase(part);
  let result: Omit<RescueResult, "base">;
  try {
    result = pour(
      connection,
      [{ file: damaged, isOld: false }, ...(base ? [{ file: base.path, isOld: true }] : [])],
      now,
    );
    connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").all();
  } finally {
    connection.close();
  }
  giveName(part, target);
  return { ...result, ...(base && { base: base.name }) };
}

interface Source {
  readonly file: string;
  /** A backup: what it says of what was under way may have gone on since. */
  readonly isOld: boolean;
}

function pour(connection: Connection, sources: readonly Source[], now: number): Omit<RescueResult, "base"> {
  const guards = connection
    .statement("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'message'")
    .all() as { name: string; sql: string }[];
  return connection.atomicallyUnreferenced(() => {
    for (const { name } of guards) connection.statement(`DROP TRIGGER ${name}`).run();
    const messages = createMessages(connection);
    for (const source of sources) pourSource(connection, source, messages);
    const marked = messages.markDamaged();
    const made = mend(connection, now);
    for (const { id } of made) messages.known.add(id);
    for (const { sql } of guards) connection.statement(sql).run();
    rebuildIndexes(connection);
    const floor = Math.max(0, ...messages.known);
    connection.statement("UPDATE counter SET value = ? WHERE name = 'message-floor'").run(floor);
    const stored = Number(connection.statement("SELECT count(*) FROM message").pluck().get());
    const empty = made.filter(({ isEmpty }) => isEmpty).length;
    return { recovered: stored - marked - empty, total: messages.known.size };
  });
}

function pourSource(connection: Connection, { file, isOld }: Source, messages: Messages): void {
  const classify = readLayouts(connection);
  for (const { row: found, messageId } of readSource(file, classify)) {
    if (messageId !== undefined) messages.known.add(messageId);
    if (found?.table === "message") messages.put(found.row);
    else if (found) putRow(connection, found.table, isOld ? asOld(found.table, found.row) : found.row);
  }
}

/** Nothing that waited or ran when a backup was made runs by itself: it may have been done since. */
function asOld(table: string, row: Row): Row {
  if (table === "inbound" && row.state === "accepted") return { ...row, state: "draft" };
  if (table === "goal" && row.state === "active") return { ...row, state: "paused", reason: "stopped" };
  return row;
}

/** The first of two rows with one key counts. What the table does not take is no row of it. */
function putRow(connection: Connection, table: string, row: Row): void {
  if (table === "request_sent" && !isReadable(row as unknown as Packed)) return;
  const names = Object.keys(row);
  const values = names.map((name) => `@${name}`).join(", ");
  try {
    connection.statement(`INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${values})`).run(row);
  } catch (thrown) {
    if (!(thrown instanceof Error && "code" in thrown && String(thrown.code).startsWith("SQLITE_CONSTRAINT")))
      throw thrown;
  }
}

type Messages = ReturnType<typeof createMessages>;

/** How good a copy of a row is: what was written comes before what was damaged, the end before the beginning. */
const qualities = { damaged: 0, open: 1, closed: 2 } as const;
type Quality = keyof typeof qualities;

/** Of all copies of a message the best one. */
function createMessages(connection: Connection) {
  const best = new Map<number, Quality>();
  const known = new Set<number>();

  function put(row: Row): void {
    const id = Number(row.id);
    if (id < 1 || !Number.isSafeInteger(id)) return;
    const content = contentOf(row);
    const isOpen = content.status === "pending" || content.status === "streaming";
    const isSound = Buffer.isBuffer(row.hash) && hashOf(content).equals(row.hash);
    const quality: Quality = isSound ? (isOpen ? "open" : "closed") : "damaged";
    known.add(id);
    const before = best.get(id);
    if (before !== undefined && qualities[before] >= qualities[quality]) return;
    best.set(id, quality);
    store(connection, { ...content, id });
  }

  /** A message of which no sound copy is left is kept, and says so itself. Returns how many there are. */
  function markDamaged(): number {
    const ids = [...best].flatMap(([id, quality]) => (quality === "damaged" ? [id] : []));
    const read = connection.statement(
      `SELECT id, session_id AS sessionId, turn_id AS turnId, role, kind, origin, status, created_at AS createdAt,
         finished_at AS finishedAt, usage, parts FROM message WHERE id = ?`,
    );
    for (const id of ids) store(connection, marked(connection, read.get(id) as MessageRow));
    return ids.length;
  }

  return { known, put, markDamaged };
}

const contentOf = (row: Row): MessageContent =>
  ({
    sessionId: row.session_id,
    turnId: row.turn_id,
    role: row.role,
    kind: row.kind,
    origin: row.origin,
    status: row.status,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    usage: row.usage,
    parts: row.parts,
  }) as MessageContent;

function store(connection: Connection, row: MessageRow): void {
  connection
    .statement(
      `INSERT OR REPLACE INTO message (id, session_id, turn_id, role, kind, origin, status, created_at, finished_at, usage,
         hash, parts, text)
       VALUES (@id, @sessionId, @turnId, @role, @kind, @origin, @status, @createdAt, @finishedAt, @usage, @hash, @parts, @text)`,
    )
    .run({ ...row, hash: hashOf(row), text: searchText(toMessage(row)) });
}

/** Any of its fields may be wrong: where it belongs is also known from the rows around it. */
function marked(connection: Connection, row: MessageRow): MessageRow {
  const message = toMessage(row);
  const home = connection
    .statement(
      `SELECT id AS turnId, session_id AS sessionId FROM turn
       WHERE id = @turnId OR @id BETWEEN first_message AND coalesce(last_message, first_message)
       ORDER BY id = @turnId DESC LIMIT 1`,
    )
    .get({ turnId: row.turnId, id: row.id }) as Pick<MessageRow, "turnId" | "sessionId"> | undefined;
  const words = "This message was damaged on the disk, and some of it may be wrong.";
  const error = { type: "error", error: toWire(new AppError("data-damaged", words)) } as const;
  const said = message.parts.filter(({ type }) => type !== "error");
  return {
    ...row,
    ...home,
    role: Role.safeParse(row.role).data ?? "assistant",
    kind: MessageKind.safeParse(row.kind).data ?? "chat",
    origin: Origin.safeParse(row.origin).data ?? "model",
    status: MessageStatus.safeParse(row.status).data ?? "incomplete",
    usage: null,
    parts: JSON.stringify([...said, error]),
  };
}
