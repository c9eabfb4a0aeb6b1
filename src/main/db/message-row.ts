import { createHash } from "node:crypto";
import { z } from "zod";
import { AppError, toWire } from "../../shared/errors.ts";
import {
  type Message,
  type MessageKind,
  type MessageStatus,
  type Origin,
  Part,
  type Role,
  Usage,
  withStreamed,
} from "../../shared/message.ts";

/** The content of a row as it is stored: all of it is under the hash. */
export interface MessageContent {
  readonly sessionId: string;
  readonly turnId: string;
  readonly role: Role;
  readonly kind: MessageKind;
  readonly origin: Origin;
  readonly status: MessageStatus;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** JSON */
  readonly usage: string | null;
  /** JSON */
  readonly parts: string;
}

export interface MessageRow extends MessageContent {
  readonly id: number;
}

/** A piece of a row that is still streamed. */
export interface Piece {
  readonly kind: "text" | "reasoning";
  /** JSON: a stream may be cut between the two halves of an emoji. */
  readonly text: string;
}

export const messageColumns = `message.id, message.session_id AS sessionId, message.turn_id AS turnId, message.role,
  message.kind, message.origin, message.status, message.created_at AS createdAt, message.finished_at AS finishedAt,
  message.usage, message.parts`;

/** The first 8 bytes of the SHA-256 over a row's content: SQLite's own checks do not see a changed letter. */
export function hashOf(row: MessageContent): Buffer {
  const { sessionId, turnId, role, kind, origin, status, createdAt, finishedAt, usage, parts } = row;
  const content = [sessionId, turnId, role, kind, origin, status, createdAt, finishedAt, usage, parts];
  return createHash("sha256").update(JSON.stringify(content)).digest().subarray(0, 8);
}

const Parts = z.array(Part);
const PieceText = z.string();

/** A row as the app knows it, with what was streamed so far. */
export function toMessage({ parts, usage, finishedAt, ...rest }: MessageRow, pieces: readonly Piece[] = []): Message {
  const stored = Parts.safeParse(parse(parts)).data ?? unreadable(rest.id);
  const spent = usage === null ? undefined : Usage.safeParse(parse(usage)).data;
  return {
    ...rest,
    parts: pieces.reduce(grow, stored),
    ...(spent && { usage: spent }),
    ...(finishedAt !== null && { finishedAt }),
  };
}

/** Undefined where it is not JSON any more. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One damaged row must not take a whole chat away: it reads as an error beside the others. */
function unreadable(id: number): Part[] {
  const error = new AppError("data-damaged", `Message ${id} is damaged on the disk and cannot be shown.`);
  return [{ type: "error", error: toWire(error) }];
}

const grow = (parts: readonly Part[], { kind, text }: Piece): readonly Part[] =>
  withStreamed(parts, kind, PieceText.safeParse(parse(text)).data ?? "\uFFFD");
