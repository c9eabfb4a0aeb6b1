import { statSync } from "node:fs";
import type { Database, Statement } from "better-sqlite3";
import { AppError } from "../../shared/errors.ts";
import { storeError, toStoreError } from "./store-errors.ts";

/** The one connection to a database. Everything it throws of its own is an AppError. */
export interface Connection {
  /** Where the database is; `:memory:` for one that never touches a disk. */
  readonly file: string;
  /** Why nothing can be written; undefined: all can. Each write throws it. */
  readonly readOnly: AppError | undefined;
  /** The same text is compiled once. */
  statement(sql: string): Statement;
  read<T>(work: () => T): T;
  /**
   * All of `work` or nothing, on disk when it returns. A call inside another joins it, and then one failure undoes
   * the whole, even if somebody in between caught it.
   */
  atomically<T>(work: () => T): T;
  /**
   * The same, but nothing is asked of the rows that point to a deleted one: for most tables that would mean to read all
   * of another. Whoever deletes here deletes what points to it too.
   */
  atomicallyUnreferenced<T>(work: () => T): T;
  close(): void;
}

interface ConnectOptions {
  readonly readOnly?: AppError;
  /** Opens the same database anew and proves that it reads. Absent: after trouble with the disk it stays closed. */
  readonly reopen?: () => Database;
}

/** After a failed fsync or commit nobody knows what is on the disk, and asking again may be answered with a lie. */
const lastStraw = /^SQLITE_IOERR/;

/** The one connection over an opened database; after trouble with the disk it goes on with a new one, or says why not. */
export function connect(first: Database, file: string, options: ConnectOptions = {}): Connection {
  const handle = createHandle(first, file, options);
  const { read, statement } = handle;
  let isInside = false;
  let failure: { readonly thrown: unknown } | undefined;

  function inside<T>(work: () => T): T {
    if (failure) throw failure.thrown;
    try {
      return read(work);
    } catch (thrown) {
      failure ??= { thrown };
      throw failure.thrown;
    }
  }

  function outermost<T>(work: () => T): T {
    handle.requireWritable();
    read(() => statement("BEGIN IMMEDIATE").run());
    isInside = true;
    try {
      const result = inside(work);
      if (failure) throw failure.thrown;
      if (result instanceof Promise) throw new AppError("internal", "A transaction cannot wait: its work was async.");
      read(() => statement("COMMIT").run());
      return result;
    } catch (thrown) {
      handle.undo(thrown);
      throw thrown;
    } finally {
      isInside = false;
      failure = undefined;
    }
  }

  function unreferenced<T>(work: () => T): T {
    if (isInside) return inside(work); // SQLite cannot switch in the middle: then it is only slow
    handle.setReferences(false);
    try {
      return outermost(work);
    } finally {
      handle.setReferences(true);
    }
  }

  const atomically = <T>(work: () => T): T => (isInside ? inside(work) : outermost(work));
  const { close } = handle;
  return { file, readOnly: options.readOnly, statement, read, atomically, atomicallyUnreferenced: unreferenced, close };
}

/** The open file. Once it has failed it is opened anew before it is used again. */
function createHandle(first: Database, file: string, { readOnly, reopen }: ConnectOptions) {
  let sqlite = first;
  let compile = compiler(sqlite);
  let isSameFile = fileWatch(file);
  let broken: AppError | undefined;

  /** Lets a connection go that failed: what is committed is in the file or its journal, what failed is in neither. */
  function mend(): void {
    if (!broken) return;
    if (!reopen || !isSameFile()) throw broken;
    sqlite.close();
    sqlite = reopen();
    compile = compiler(sqlite);
    isSameFile = fileWatch(file);
    broken = undefined;
  }

  function read<T>(work: () => T): T {
    try {
      mend(); // never inside a transaction: a failure ends it
      return work();
    } catch (thrown) {
      const error = toStoreError(file, thrown);
      throw readOnly?.code === "data-newer" && isStrange(error) ? readOnly : error;
    }
  }

  function requireWritable(): void {
    if (readOnly) throw readOnly;
    if (!isSameFile()) throw movedAway(file);
  }

  /** Takes back what a transaction did; where even that fails, or the disk did, the connection is not to be trusted. */
  function undo(thrown: unknown): void {
    const cause = thrown instanceof Error ? thrown.cause : undefined;
    if (cause instanceof Error && "code" in cause && lastStraw.test(String(cause.code))) {
      broken = storeError("disk-error", file, cause);
    }
    try {
      if (sqlite.inTransaction) compile("ROLLBACK").run();
    } catch (rollback) {
      broken = storeError("disk-error", file, rollback);
    }
  }

  const statement = (sql: string) => compile(sql);
  const setReferences = (on: boolean) => read(() => sqlite.pragma(`foreign_keys = ${on ? 1 : 0}`));
  return { statement, read, requireWritable, undo, setReferences, close: () => void sqlite.close() };
}

/** What a schema of later looks like to the questions of today. */
const isStrange = (error: unknown): boolean =>
  error instanceof AppError && (error.code === "internal" || error.code === "data-damaged");

function compiler(sqlite: Database): Connection["statement"] {
  const statements = new Map<string, Statement>();
  return (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    const compiled = sqlite.prepare(sql);
    statements.set(sql, compiled);
    return compiled;
  };
}

const movedAway = (file: string) =>
  new AppError(
    "data-folder",
    `${file} was moved, replaced or deleted while Lares was using it. Nothing was changed. Put it back, then restart Lares.`,
  );

/** SQLite would go on writing into a file that no longer has a name. */
function fileWatch(file: string): () => boolean {
  if (file === ":memory:") return () => true;
  const identity = () => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found && `${found.dev}:${found.ino}`;
  };
  const atFirst = identity();
  return () => identity() === atFirst;
}
