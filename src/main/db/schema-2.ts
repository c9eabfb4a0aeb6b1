/**
 * The second schema: branches, what was sent to the model, drafts, and chats that can be deleted.
 *
 * The turns of a session are a tree, each pointing to the one before it; `shown` marks the one path through it that is
 * shown. Most chats never branch, so what is asked of hidden turns is answered by an index that stays empty for them.
 */
export const secondSchema = `
ALTER TABLE session ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN deleted_at INTEGER; -- epoch ms; 0 while its rows are being removed: it cannot come back
CREATE INDEX session_deleted ON session (id) WHERE deleted_at IS NOT NULL;

ALTER TABLE inbound ADD COLUMN replaces TEXT; -- the turn that is asked again; gone with that turn's chat only
CREATE INDEX inbound_draft ON inbound (session_id, position) WHERE state = 'draft';

ALTER TABLE turn ADD COLUMN parent_id TEXT; -- NULL: the first of its session. Not REFERENCES: that would want an index more
ALTER TABLE turn ADD COLUMN shown INTEGER NOT NULL DEFAULT 1;
ALTER TABLE turn ADD COLUMN last_message INTEGER; -- once it has ended: no row of the turn has a greater id
UPDATE turn SET parent_id = (
  SELECT id FROM turn AS earlier WHERE earlier.session_id = turn.session_id AND earlier.position < turn.position
  ORDER BY earlier.position DESC LIMIT 1
);
UPDATE turn SET last_message = first_message - 1 WHERE ended_at IS NOT NULL;
UPDATE turn SET last_message = newest.id
FROM (SELECT turn_id, max(id) AS id FROM message GROUP BY turn_id) AS newest
WHERE newest.turn_id = turn.id AND ended_at IS NOT NULL;
CREATE INDEX turn_parent ON turn (session_id, parent_id, position);
CREATE INDEX turn_hidden ON turn (session_id, id) WHERE shown = 0;

CREATE TABLE draft (
  chat_id    TEXT PRIMARY KEY NOT NULL, -- not REFERENCES: a chat is there from its first message on, a draft before
  text       TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Numbers the store keeps for itself.
CREATE TABLE counter (
  name  TEXT PRIMARY KEY NOT NULL,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counter (name, value) VALUES
  ('message-floor', 0), -- ids of messages were given out up to here, also of those that were removed
  ('sent-bytes', 0);    -- of all bodies in request_sent

CREATE TABLE request (
  turn_id    TEXT NOT NULL REFERENCES turn (id),
  number     INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  model      TEXT NOT NULL,
  messages   INTEGER NOT NULL,
  tools      INTEGER NOT NULL,
  ms         REAL,
  finish     TEXT,
  usage      TEXT,
  error      TEXT,
  PRIMARY KEY (turn_id, number)
) STRICT, WITHOUT ROWID;

-- What was sent with the requests of a turn; only the newest are kept.
CREATE TABLE request_sent (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  turn_id  TEXT NOT NULL UNIQUE REFERENCES turn (id),
  deflated INTEGER NOT NULL,
  body     BLOB NOT NULL
) STRICT;
CREATE TRIGGER request_sent_insert AFTER INSERT ON request_sent
BEGIN UPDATE counter SET value = value + length(NEW.body) WHERE name = 'sent-bytes'; END;
CREATE TRIGGER request_sent_delete AFTER DELETE ON request_sent
BEGIN UPDATE counter SET value = value - length(OLD.body) WHERE name = 'sent-bytes'; END;

DROP TRIGGER message_closed_delete;
CREATE TRIGGER message_closed_delete BEFORE DELETE ON message
WHEN OLD.status IN ('complete', 'incomplete', 'hidden')
  AND NOT EXISTS (SELECT 1 FROM session WHERE id = OLD.session_id AND deleted_at IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'a closed message is only deleted with its chat'); END;
`;
