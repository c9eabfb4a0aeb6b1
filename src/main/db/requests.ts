import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import { AppError, WireError } from "../../shared/errors.ts";
import { Usage } from "../../shared/message.ts";
import { Trip } from "../../shared/network.ts";
import { RequestRecord } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { json, readRow, toJson } from "./rows.ts";
import { sentText } from "./sent-texts.ts";

/** Bytes that the bodies of requests may take together. */
const MAX_SENT = 64 * 1024 * 1024;

const shape = RequestRecord.unwrap().shape;
const RequestRow = z.object({
  ...shape,
  model: json(shape.model),
  usage: json(Usage).exactOptional(),
  error: json(WireError).exactOptional(),
  trip: json(Trip).exactOptional(),
});

export function insertRequest(connection: Connection, request: RequestRecord): void {
  connection
    .statement(
      `INSERT INTO request (turn_id, number, started_at, model, messages, tools, ms, finish, usage, error,
         trip)
       VALUES (@turnId, @number, @startedAt, @model, @messages, @tools, @ms, @finish, @usage, @error, @trip)`,
    )
    .run(toRow(request));
}

/** Keeps what a turn sent (the text of `SentTexts.take`), and drops the oldest of what was sent where it gets too much. */
export function keepSent(connection: Connection, turnId: string, texts: string, limit: number = MAX_SENT): void {
  connection
    .statement("INSERT INTO request_sent (turn_id, deflated, body) VALUES (@turnId, @deflated, @body)")
    .run({ turnId, ...pack(texts) });
  while (sentBytes(connection) > limit && dropOldest(connection));
}

/** Returns false when there was none. */
function dropOldest(connection: Connection): boolean {
  const sql = "DELETE FROM request_sent WHERE position = (SELECT min(position) FROM request_sent)";
  return connection.statement(sql).run().changes > 0;
}

/** The requests of these turns; those of one turn are in order. */
export function requestsOf(connection: Connection, turnIds: readonly string[]): RequestRecord[] {
  const sql = `SELECT turn_id AS turnId, number, started_at AS startedAt, model, messages, tools, ms, finish, usage, error,
                 trip
               FROM request WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, number`;
  const rows = connection.statement(sql).all(JSON.stringify(turnIds));
  return rows.map((row) => readRow(connection, "request", RequestRow, row));
}

/** Exactly what was sent, as JSON; undefined: not kept any more. Throws data-damaged. */
export function sentRequest(connection: Connection, turnId: string, number: number): string | undefined {
  const row = connection.statement("SELECT deflated, body FROM request_sent WHERE turn_id = ?").get(turnId);
  return row === undefined ? undefined : unpack(row as Packed, number);
}

/** A body as it is stored. */
export interface Packed {
  readonly deflated: number;
  readonly body: Buffer;
}

function pack(text: string): Packed {
  const plain = Buffer.from(text);
  const deflated = deflateRawSync(plain, { level: 1 });
  return deflated.length < plain.length ? { deflated: 1, body: deflated } : { deflated: 0, body: plain };
}

/** Throws data-damaged. */
export function unpack({ deflated, body }: Packed, number: number): string | undefined {
  try {
    return sentText((deflated === 0 ? body : inflateRawSync(body)).toString(), number);
  } catch (thrown) {
    const message = "What was sent to the model is damaged on the disk and cannot be shown.";
    throw new AppError("data-damaged", message, thrown);
  }
}

/** A changed letter may pass: there is no hash over what was sent. Its first request may be one of a later start. */
export function isReadable(row: Packed): boolean {
  try {
    unpack(row, 1);
    return true;
  } catch {
    return false;
  }
}

const sentBytes = (connection: Connection): number =>
  Number(connection.statement("SELECT value FROM counter WHERE name = 'sent-bytes'").pluck().get());

function toRow(request: RequestRecord) {
  const { model, usage, error, trip, ms = null, finish = null, ...rest } = request;
  const figures = { model: toJson(model), usage: toJson(usage), error: toJson(error), trip: toJson(trip) };
  return { ...rest, ...figures, ms, finish };
}
