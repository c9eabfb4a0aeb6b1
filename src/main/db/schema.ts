/**
 * The first schema. Allowed values of a state or role are kept by the types and checked when a row is read, not here:
 * a CHECK could only be changed by copying its table. Rows are ordered by counters, never by a clock.
 */
export const firstSchema = `
CREATE TABLE session (
  id         TEXT PRIMARY KEY NOT NULL,
  title      TEXT NOT NULL DEFAULT '',
  model      TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE inbound (
  position   INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  session_id TEXT NOT NULL REFERENCES session (id),
  channel    TEXT NOT NULL,
  text       TEXT NOT NULL,
  state      TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inbound_waiting ON inbound (session_id, position) WHERE state = 'accepted';

CREATE TABLE turn (
  position      INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL UNIQUE,
  session_id    TEXT NOT NULL REFERENCES session (id),
  inbound_id    TEXT NOT NULL REFERENCES inbound (id),
  first_message INTEGER NOT NULL, -- no row of the turn has a smaller id: where to begin looking for them
  state         TEXT NOT NULL,
  phase         TEXT,
  iteration     INTEGER NOT NULL,
  started_at    INTEGER NOT NULL,
  ended_at      INTEGER,
  stop_reason   TEXT,
  usage         TEXT,
  error         TEXT
) STRICT;
CREATE INDEX turn_session ON turn (session_id, position);
CREATE INDEX turn_unfinished ON turn (position) WHERE ended_at IS NULL; -- not touched by each change of state

CREATE TABLE trace (
  turn_id    TEXT NOT NULL REFERENCES turn (id),
  position   INTEGER NOT NULL,
  state      TEXT NOT NULL,
  outcome    TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ms         REAL NOT NULL,
  error      TEXT,
  notes      TEXT,
  PRIMARY KEY (turn_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE message (
  id          INTEGER PRIMARY KEY, -- grows, because a closed row cannot be deleted; a sequence would be a page more
  session_id  TEXT NOT NULL REFERENCES session (id),
  turn_id     TEXT NOT NULL REFERENCES turn (id),
  role        TEXT NOT NULL,
  kind        TEXT NOT NULL,
  origin      TEXT NOT NULL,
  status      TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  finished_at INTEGER,
  usage       TEXT,
  hash        BLOB NOT NULL,
  parts       TEXT NOT NULL,
  text        TEXT -- what search sees of the parts
) STRICT;
-- One index for the pages of a session and for the rows of a turn: each index more is a page more in every commit.
CREATE INDEX message_session ON message (session_id, id, turn_id);

CREATE TRIGGER message_closed_update BEFORE UPDATE ON message
WHEN OLD.status IN ('complete', 'incomplete', 'hidden')
BEGIN SELECT RAISE(ABORT, 'a closed message never changes'); END;

CREATE TRIGGER message_closed_delete BEFORE DELETE ON message
WHEN OLD.status IN ('complete', 'incomplete', 'hidden')
BEGIN SELECT RAISE(ABORT, 'a closed message is never deleted'); END;

CREATE TABLE message_chunk (
  message_id INTEGER NOT NULL REFERENCES message (id),
  position   INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  text       TEXT NOT NULL, -- as a JSON string, which also keeps half of an emoji
  PRIMARY KEY (message_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_call (
  turn_id    TEXT NOT NULL REFERENCES turn (id),
  id         TEXT NOT NULL,
  position   INTEGER NOT NULL,
  message_id INTEGER NOT NULL REFERENCES message (id),
  name       TEXT NOT NULL,
  class      TEXT NOT NULL,
  state      TEXT NOT NULL,
  started_at INTEGER,
  ended_at   INTEGER,
  summary    TEXT,
  PRIMARY KEY (turn_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
  key   TEXT PRIMARY KEY NOT NULL,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Both indexes are built from it and checked against it.
CREATE VIEW message_text AS SELECT id, session_id, turn_id, text FROM message WHERE text IS NOT NULL;

CREATE VIRTUAL TABLE message_word USING fts5 (
  text, content = 'message_text', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE message_trigram USING fts5 (
  text, content = 'message_text', content_rowid = 'id', tokenize = 'trigram remove_diacritics 1', columnsize = 0
);
`;
