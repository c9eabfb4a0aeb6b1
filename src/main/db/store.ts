import * as calls from "./calls.ts";
import { check } from "./check.ts";
import type { Connection } from "./connection.ts";
import * as inbound from "./inbound.ts";
import * as messages from "./messages.ts";
import { openDatabase } from "./open.ts";
import { search } from "./search.ts";
import * as sessions from "./sessions.ts";
import * as settings from "./settings.ts";
import * as turns from "./turns.ts";

/** Everything the assistant keeps. Each function is one transaction and on disk when it returns; each throws AppError. */
export type Store = ReturnType<typeof createStore>;

/** Opens the store in the file `path`, making it if nothing is there; `:memory:` leaves no trace on any disk. */
export function createStore(path: string) {
  return storeOn(openDatabase(path));
}

/** Joins the functions of the tables on one connection. */
export function storeOn(connection: Connection) {
  const reads = <A extends unknown[], R>(query: (connection: Connection, ...given: A) => R) => {
    return (...given: A): R => connection.read(() => query(connection, ...given));
  };
  const writes = <A extends unknown[], R>(change: (connection: Connection, ...given: A) => R) => {
    return (...given: A): R => connection.atomically(() => change(connection, ...given));
  };
  return {
    /** All or nothing. May be nested: the outermost call commits, and one failure inside undoes the whole. */
    atomically: <T>(work: () => T): T => connection.atomically(work),

    openSession: writes(sessions.openSession),
    setSessionModel: writes(sessions.setSessionModel),

    accept: writes(inbound.accept),
    inbound: reads(inbound.inbound),
    nextAccepted: reads(inbound.nextAccepted),
    sessionsWaiting: reads(inbound.sessionsWaiting),
    draftWaiting: writes(inbound.draftWaiting),

    beginTurn: writes(turns.beginTurn),
    advance: writes(turns.advance),
    setPhase: writes(turns.setPhase),
    endTurn: writes(turns.endTurn),
    turn: reads(turns.turn),
    lastTurn: reads(turns.lastTurn),
    unfinishedTurns: reads(turns.unfinishedTurns),
    trace: reads(turns.trace),

    append: writes(messages.append),
    appendChunk: writes(messages.appendChunk),
    finish: writes(messages.finish),
    turnMessages: reads(messages.turnMessages),
    page: reads(messages.page),
    search: reads(search),

    insertCall: writes(calls.insertCall),
    setCall: writes(calls.setCall),
    calls: reads(calls.calls),

    setting: reads(settings.setting),
    setSetting: writes(settings.setSetting),

    /** What is damaged, if anything is. */
    check: () => check(connection),
    /** Safe to call twice. */
    close: () => connection.close(),
  };
}
