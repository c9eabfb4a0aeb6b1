import type { TurnEnd } from "../../shared/turn.ts";
import * as branches from "./branches.ts";
import * as calls from "./calls.ts";
import { searchChats } from "./chat-search.ts";
import { check } from "./check.ts";
import type { Connection } from "./connection.ts";
import * as drafts from "./drafts.ts";
import * as goals from "./goals.ts";
import * as inbound from "./inbound.ts";
import * as leaving from "./leaving-rules.ts";
import * as ledger from "./ledger.ts";
import * as messages from "./messages.ts";
import * as notices from "./notices.ts";
import { openDatabase } from "./open.ts";
import { purgeChats } from "./purge.ts";
import * as requests from "./requests.ts";
import { search } from "./search.ts";
import { createSentTexts } from "./sent-texts.ts";
import * as sessions from "./sessions.ts";
import * as settings from "./settings.ts";
import * as turnViews from "./turn-views.ts";
import * as turns from "./turns.ts";

/** Everything the assistant keeps. Each function is one transaction and on disk when it returns; each throws AppError. */
export type Store = ReturnType<typeof createStore>;

/** Opens the store in the file `path`, making it if nothing is there; `:memory:` leaves no trace on any disk. */
export function createStore(path: string) {
  return storeOn(openDatabase(path));
}

/** Joins the functions of the tables on one connection. */
export function storeOn(connection: Connection) {
  return {
    /** Why nothing can be written; undefined: all can. Each write throws it. */
    readOnly: connection.readOnly,
    /** All or nothing. May be nested: the outermost call commits, and one failure inside undoes the whole. */
    atomically: <T>(work: () => T): T => connection.atomically(work),
    ...turnTables(connection),
    ...messageTables(connection),
    ...chatTables(connection),
    ...leavingTables(connection),

    /** What is damaged, if anything is. */
    check: () => check(connection),
    /** Safe to call twice. */
    close: () => connection.close(),
  };
}

/** What happens in a chat: the queue, its turns, and how they went. */
function turnTables(connection: Connection) {
  const { reads, writes } = bind(connection);
  const sent = createSentTexts();
  const kept = reads(requests.sentRequest);
  return {
    accept: writes(inbound.accept),
    inbound: reads(inbound.inbound),
    nextAccepted: reads(inbound.nextAccepted),
    sessionsWaiting: reads(inbound.sessionsWaiting),
    draftWaiting: writes(inbound.draftWaiting),
    waiting: reads(inbound.waitingIn),
    sendDraft: writes(inbound.sendDraft),
    dropInbound: writes(inbound.dropInbound),
    followUps: reads(inbound.followUps),
    injectInbound: writes(inbound.injectInbound),
    setAfter: writes(inbound.setAfter),

    beginTurn: writes(turns.beginTurn),
    advance: writes(turns.advance),
    setPhase: writes(turns.setPhase),
    endTurn: writes((connection, turnId: string, end: TurnEnd) => {
      turns.endTurn(connection, turnId, end);
      const texts = sent.take(turnId);
      if (texts !== undefined) requests.keepSent(connection, turnId, texts);
    }),
    reopenTurn: writes(turns.reopenTurn),
    undoTurn: writes(turns.undoTurn),
    setRecovery: writes(turns.setRecovery),
    recoveries: reads(turns.recoveries),
    turn: reads(turns.turn),
    lastTurn: reads(turns.lastTurn),
    unfinishedTurns: reads(turns.unfinishedTurns),
    trace: reads(turns.trace),
    addNotice: writes(notices.addNotice),
    turnView: reads(turnViews.turnView),
    turnViews: reads(turnViews.turnViews),
    showTurn: writes(branches.showTurn),

    keepSent: sent.add,
    insertRequest: writes(requests.insertRequest),
    requests: reads((connection, turnId: string) => requests.requestsOf(connection, [turnId])),
    sentRequest: (turnId: string, number: number) => sent.text(turnId, number) ?? kept(turnId, number),

    insertCall: writes(calls.insertCall),
    setCall: writes(calls.setCall),
    calls: reads(calls.calls),
  };
}

/** What was said. */
function messageTables(connection: Connection) {
  const { reads, writes } = bind(connection);
  return {
    append: writes(messages.append),
    appendChunk: writes(messages.appendChunk),
    finish: writes(messages.finish),
    turnMessages: reads(messages.turnMessages),
    page: reads(messages.page),
    search: reads(search),
    searchChats: reads(searchChats),
  };
}

/** The chats as such, and what belongs to none. */
function chatTables(connection: Connection) {
  const { reads, writes } = bind(connection);
  return {
    openSession: writes(sessions.openSession),
    setSessionModel: writes(sessions.setSessionModel),
    chats: reads(sessions.chats),
    chat: reads(sessions.chat),
    renameChat: writes(sessions.renameChat),
    pinChat: writes(sessions.pinChat),
    deleteChat: writes(sessions.deleteChat),
    restoreChat: writes(sessions.restoreChat),
    purgeChats: (deletedBefore: number): string[] =>
      connection.atomicallyUnreferenced(() => purgeChats(connection, deletedBefore)),

    goal: reads(goals.goal),
    setGoal: writes(goals.setGoal),
    draft: reads(drafts.draft),
    setDraft: writes(drafts.setDraft),
    setting: reads(settings.setting),
    setSetting: writes(settings.setSetting),
  };
}

/** What left this computer, and what may. */
function leavingTables(connection: Connection) {
  const { reads, writes } = bind(connection);
  return {
    openLedgerRow: writes(ledger.openLedgerRow),
    closeLedgerRow: writes(ledger.closeLedgerRow),
    closeLeftRows: writes(ledger.closeLeftRows),
    ledgerRow: reads(ledger.ledgerRow),
    ledgerRows: reads(ledger.ledgerRows),
    ledgerTotals: reads(ledger.ledgerTotals),

    mayLeave: reads(leaving.mayLeave),
    allowLeaving: writes(leaving.allowLeaving),
    forgetConnection: writes(leaving.forgetConnection),
    marks: reads(leaving.marks),
    isMarked: reads(leaving.isMarked),
    setMark: writes(leaving.setMark),
  };
}

function bind(connection: Connection) {
  return {
    reads<A extends unknown[], R>(query: (connection: Connection, ...given: A) => R) {
      return (...given: A): R => connection.read(() => query(connection, ...given));
    },
    writes<A extends unknown[], R>(change: (connection: Connection, ...given: A) => R) {
      return (...given: A): R => connection.atomically(() => change(connection, ...given));
    },
  };
}
