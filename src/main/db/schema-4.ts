/**
 * The fourth schema: what left this computer, what a person has allowed to leave, and what never may.
 */
export const fourthSchema = `
ALTER TABLE request ADD COLUMN trip TEXT; -- NULL: it stayed in this computer

-- Every connection, written before its first byte. Not REFERENCES: what left has left, also of a chat that is gone.
CREATE TABLE network (
  id       INTEGER PRIMARY KEY AUTOINCREMENT,
  at       INTEGER NOT NULL,
  chat_id  TEXT,
  turn_id  TEXT,
  purpose  TEXT NOT NULL,
  host     TEXT NOT NULL,
  port     INTEGER NOT NULL,
  address  TEXT,
  place    TEXT NOT NULL,
  model    TEXT,
  body_out INTEGER NOT NULL DEFAULT 0,
  body_in  INTEGER NOT NULL DEFAULT 0,
  status   INTEGER,
  outcome  TEXT NOT NULL,
  error    TEXT,
  ended_at INTEGER
) STRICT;
CREATE INDEX network_chat ON network (chat_id, id) WHERE chat_id IS NOT NULL;

-- Who a chat may be sent to (allow: the chat's id, the connection's), and what may be sent to nobody (chat, file).
CREATE TABLE leaving_rule (
  kind          TEXT NOT NULL,
  ref           TEXT NOT NULL,
  connection_id TEXT NOT NULL DEFAULT '', -- empty: not about one
  at            INTEGER NOT NULL,
  PRIMARY KEY (kind, ref, connection_id)
) STRICT, WITHOUT ROWID;
`;
