/**
 * The third schema: what a crash left to be decided, follow-ups of a running turn, notices, goals.
 */
export const thirdSchema = `
ALTER TABLE turn ADD COLUMN recovery TEXT; -- NULL: nothing to decide or to see
ALTER TABLE turn ADD COLUMN crash_place TEXT;
CREATE INDEX turn_recovery ON turn (session_id, position) WHERE recovery IS NOT NULL;

ALTER TABLE inbound ADD COLUMN turn_id TEXT; -- the turn that took it in as a follow-up
ALTER TABLE inbound ADD COLUMN after INTEGER; -- 1: only after the running turn
CREATE INDEX inbound_turn ON inbound (turn_id) WHERE turn_id IS NOT NULL;

-- What a turn told the person beside its answer.
CREATE TABLE notice (
  turn_id  TEXT NOT NULL REFERENCES turn (id),
  position INTEGER NOT NULL,
  code     TEXT NOT NULL,
  text     TEXT NOT NULL,
  PRIMARY KEY (turn_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE goal (
  session_id TEXT PRIMARY KEY NOT NULL REFERENCES session (id),
  text       TEXT NOT NULL,
  state      TEXT NOT NULL,
  reason     TEXT,
  note       TEXT,
  budget     TEXT NOT NULL,
  spent      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
