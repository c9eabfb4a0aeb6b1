import { AppError } from "../../shared/errors.ts";
import type { Message, Part } from "../../shared/message.ts";
import type { TurnRecord } from "../../shared/turn.ts";
import type { TurnView } from "../../shared/views.ts";
import { variantsOf } from "./branches.ts";
import { callsOf } from "./calls.ts";
import type { Connection } from "./connection.ts";
import { cut } from "./cut.ts";
import { inboundOf } from "./inbound.ts";
import { shownRows } from "./messages.ts";
import { noticesOf } from "./notices.ts";
import { requestsOf } from "./requests.ts";
import { storeError } from "./store-errors.ts";
import { shownTurns, tracesOf, turn } from "./turns.ts";

/** Of a longer result of a tool a view has the beginning: the model was given it, nobody reads it in a chat. */
const MAX_RESULT = 4_000;

export interface TurnRange {
  /** A turn; default: the end. */
  readonly before?: string;
  /** A turn that must be there too. One that is not on the shown branch is not looked for. */
  readonly through?: string;
  readonly limit: number;
}

export function turnView(connection: Connection, turnId: string): TurnView | undefined {
  const found = turn(connection, turnId);
  return found && views(connection, [found])[0];
}

/** Turns of the shown branch, oldest first. Throws not-found where `before` is not a turn of this chat. */
export function turnViews(connection: Connection, chatId: string, { before, through, limit }: TurnRange): TurnView[] {
  const end = before === undefined ? Number.MAX_SAFE_INTEGER : position(connection, chatId, before);
  if (end === undefined) throw new AppError("not-found", `There is no turn ${before} in the chat ${chatId}.`);
  const start = through === undefined ? undefined : position(connection, chatId, through, "AND shown = 1");
  return views(connection, shownTurns(connection, chatId, { start, end, limit }));
}

function position(connection: Connection, chatId: string, turnId: string, more = ""): number | undefined {
  const sql = `SELECT position FROM turn WHERE id = ? AND session_id = ? ${more}`;
  return connection.statement(sql).pluck().get(turnId, chatId) as number | undefined;
}

/** One question to each table, however many turns there are. All of them are of one session. */
function views(connection: Connection, turns: readonly TurnRecord[]): TurnView[] {
  const ids = turns.map(({ id }) => id);
  const rows = Map.groupBy(shownRows(connection, ids), ({ turnId }) => turnId);
  const traces = Map.groupBy(tracesOf(connection, ids), ({ turnId }) => turnId);
  const requests = Map.groupBy(requestsOf(connection, ids), ({ turnId }) => turnId);
  const calls = Map.groupBy(callsOf(connection, ids), ({ turnId }) => turnId);
  const variants = Map.groupBy(variantsOf(connection, ids), (variant) => variant.of);
  const notices = Map.groupBy(noticesOf(connection, ids), ({ turnId }) => turnId);
  const inboundIds = turns.map(({ inboundId }) => inboundId);
  const questions = new Map(inboundOf(connection, inboundIds).map((inbound) => [inbound.id, inbound]));
  return turns.map((record) => {
    const inbound = questions.get(record.inboundId);
    if (!inbound) throw storeError("data-damaged", connection.file);
    return {
      turn: record,
      inbound,
      rows: (rows.get(record.id) ?? []).map(shortened),
      trace: traces.get(record.id) ?? [],
      requests: requests.get(record.id) ?? [],
      calls: calls.get(record.id) ?? [],
      variants: (variants.get(record.id) ?? []).map(({ id }) => id),
      notices: (notices.get(record.id) ?? []).map(({ code, text }) => ({ code, text })),
    };
  });
}

const shortened = (message: Message): Message =>
  message.role === "tool" ? { ...message, parts: message.parts.map(shortenedPart) } : message;

function shortenedPart(part: Part): Part {
  if (part.type !== "tool-result" || part.text.length <= MAX_RESULT) return part;
  return { ...part, text: `${cut(part.text, MAX_RESULT)}…` };
}
