import { deflateRawSync, inflateRawSync } from "node:zlib";
import { z } from "zod";
import { AppError, WireError } from "../../shared/errors.ts";
import { Usage } from "../../shared/message.ts";
import { RequestRecord } from "../../shared/turn.ts";
import type { Connection } from "./connection.ts";
import { json, readRow, toJson } from "./rows.ts";

/** Bytes that the bodies of requests may take together. */
const MAX_SENT = 64 * 1024 * 1024;

const shape = RequestRecord.unwrap().shape;
const RequestRow = z.object({
  ...shape,
  model: json(shape.model),
  usage: json(Usage).exactOptional(),
  error: json(WireError).exactOptional(),
});

/** Keeps what is sent as well, and drops the oldest of what was sent where it gets too much. */
export function insertRequest(
  connection: Connection,
  request: RequestRecord,
  sent: string,
  limit: number = MAX_SENT,
): void {
  connection
    .statement(
      `INSERT INTO request (turn_id, number, started_at, model, messages, tools, ms, finish, usage, error)
       VALUES (@turnId, @number, @startedAt, @model, @messages, @tools, @ms, @finish, @usage, @error)`,
    )
    .run(toRow(request));
  const { turnId, number } = request;
  connection
    .statement("INSERT INTO request_sent (turn_id, number, deflated, body) VALUES (@turnId, @number, @deflated, @body)")
    .run({ turnId, number, ...pack(sent) });
  while (sentBytes(connection) > limit && dropOldest(connection));
}

/** Returns false when there was none. */
function dropOldest(connection: Connection): boolean {
  const sql = "DELETE FROM request_sent WHERE position = (SELECT min(position) FROM request_sent)";
  return connection.statement(sql).run().changes > 0;
}

export function endRequest(connection: Connection, request: RequestRecord): void {
  const { changes } = connection
    .statement(
      `UPDATE request SET started_at = @startedAt, model = @model, messages = @messages, tools = @tools, ms = @ms,
         finish = @finish, usage = @usage, error = @error
       WHERE turn_id = @turnId AND number = @number`,
    )
    .run(toRow(request));
  if (changes === 0) throw new AppError("not-found", `The turn ${request.turnId} has no request ${request.number}.`);
}

/** The requests of these turns; those of one turn are in order. */
export function requestsOf(connection: Connection, turnIds: readonly string[]): RequestRecord[] {
  const sql = `SELECT turn_id AS turnId, number, started_at AS startedAt, model, messages, tools, ms, finish, usage, error
               FROM request WHERE turn_id IN (SELECT value FROM json_each(?)) ORDER BY turn_id, number`;
  const rows = connection.statement(sql).all(JSON.stringify(turnIds));
  return rows.map((row) => readRow(connection, "request", RequestRow, row));
}

/** Exactly what was sent, as JSON; undefined: not kept any more. */
export function sentRequest(connection: Connection, turnId: string, number: number): string | undefined {
  const sql = "SELECT deflated, body FROM request_sent WHERE turn_id = ? AND number = ?";
  const row = connection.statement(sql).get(turnId, number);
  return row === undefined ? undefined : unpack(row as Packed);
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
export function unpack({ deflated, body }: Packed): string {
  if (deflated === 0) return body.toString();
  try {
    return inflateRawSync(body).toString();
  } catch (thrown) {
    throw new AppError(
      "data-damaged",
      "What was sent to the model is damaged on the disk and cannot be shown.",
      thrown,
    );
  }
}

const sentBytes = (connection: Connection): number =>
  Number(connection.statement("SELECT value FROM counter WHERE name = 'sent-bytes'").pluck().get());

function toRow(request: RequestRecord) {
  const { model, usage, error, ms = null, finish = null, ...rest } = request;
  return { ...rest, ms, finish, model: toJson(model), usage: toJson(usage), error: toJson(error) };
}
