/**
 * What holds between the rows of a store, as questions that nothing must answer: each row of a result is one sentence
 * about what is wrong, without a word of what people said. A turn that waits for a decision (`recovery`) may have open
 * rows and calls; one that an older Lares left interrupted (no `crash_place`) says nothing about its calls.
 */

const isUndecided = "coalesce(recovery IN ('interrupted', 'unknown'), 0)";
const wasLeftOpen = "(stop_reason = 'interrupted' AND crash_place IS NULL)";

/** What would make rows or whole branches invisible, or leave a turn between open and ended. */
export const turnInvariants = [
  `SELECT 'Message ' || message.id || ' is outside the rows of its turn.' FROM message JOIN turn ON turn.id = turn_id
   WHERE message.id NOT BETWEEN first_message AND coalesce(last_message, message.id)
     OR message.session_id <> turn.session_id`,
  `SELECT 'Turn ' || turn.id || ' follows no turn before it in its chat.' FROM turn
   LEFT JOIN turn AS parent
     ON parent.id = turn.parent_id AND parent.session_id = turn.session_id AND parent.position < turn.position
   WHERE turn.parent_id IS NOT NULL AND parent.id IS NULL`,
  `SELECT 'Turn ' || turn.id || ' is shown after one that is hidden.' FROM turn
   JOIN turn AS parent ON parent.id = turn.parent_id WHERE turn.shown = 1 AND parent.shown = 0`,
  `SELECT 'Turn ' || max(id) || ' is shown at one place with ' || (count(*) - 1) || ' more.' FROM turn
   WHERE shown = 1 GROUP BY session_id, parent_id HAVING count(*) > 1`,
  `SELECT 'Turn ' || id || ' is neither open nor over.' FROM turn
   WHERE (ended_at IS NULL) <> (state <> 'done') OR (ended_at IS NULL) <> (stop_reason IS NULL)
     OR (ended_at IS NULL) <> (last_message IS NULL) OR (ended_at IS NULL AND recovery IS NOT NULL)`,
  `SELECT 'Message ' || message.id || ' is still open in a turn that is over.' FROM message
   JOIN turn ON turn.id = turn_id
   WHERE status IN ('pending', 'streaming') AND ended_at IS NOT NULL AND NOT ${isUndecided}`,
];

const userRows = `user_rows AS MATERIALIZED (
  SELECT turn_id, count(*) AS times FROM message WHERE role = 'user' AND kind <> 'note' GROUP BY turn_id
), joined AS MATERIALIZED (
  SELECT turn_id, count(*) AS times FROM inbound WHERE turn_id IS NOT NULL GROUP BY turn_id
)`;

/** The turn of each message: the one that began with it, or the one that took it in. */
const owners = `owner AS MATERIALIZED (
  SELECT inbound_id AS id, ended_at FROM turn
  UNION ALL
  SELECT inbound.id, ended_at FROM inbound JOIN turn ON turn.id = inbound.turn_id
)`;

/** Every message that was acknowledged is there exactly once: it waits, or its turn has it. `/new` and its like store none. */
export const inboundInvariants = [
  `WITH ${owners}
   SELECT 'Accepted message ' || inbound.id || ' (' || state || ') is in ' || count(owner.id) || ' turns.'
   FROM inbound LEFT JOIN owner ON owner.id = inbound.id
   GROUP BY inbound.position HAVING count(owner.id) <> (state IN ('taken', 'injected', 'saved'))`,
  `WITH ${owners}
   SELECT 'Accepted message ' || inbound.id || ' is ' || state || ' in a turn that is over.'
   FROM inbound JOIN owner ON owner.id = inbound.id
   WHERE state IN ('taken', 'injected') AND ended_at IS NOT NULL`,
  `WITH ${userRows}
   SELECT 'Turn ' || turn.id || ' has ' || coalesce(user_rows.times, 0) || ' of ' || (1 + coalesce(joined.times, 0))
          || ' messages that it answers.'
   FROM turn LEFT JOIN user_rows ON user_rows.turn_id = turn.id LEFT JOIN joined ON joined.turn_id = turn.id
   WHERE coalesce(user_rows.times, 0) > 1 + coalesce(joined.times, 0)
     OR (coalesce(user_rows.times, 0) < 1 + coalesce(joined.times, 0)
         AND iif(ended_at IS NULL, phase IS NOT NULL, stop_reason <> 'command'))`,
];

const results = `result AS MATERIALIZED (
  SELECT message.turn_id, json_extract(part.value, '$.callId') AS call_id, count(*) AS times
  FROM message JOIN json_each(iif(json_valid(parts), parts, '[]')) AS part
  WHERE role = 'tool' AND json_extract(part.value, '$.type') = 'tool-result' GROUP BY 1, 2
)`;

/** Every call that came to an end has one result, and none began after that. */
export const callInvariants = [
  `WITH ${results}
   SELECT 'Call ' || tool_call.id || ' (' || tool_call.state || ') has ' || coalesce(times, 0) || ' results.'
   FROM tool_call JOIN turn ON turn.id = tool_call.turn_id
   LEFT JOIN result ON result.turn_id = tool_call.turn_id AND result.call_id = tool_call.id
   WHERE NOT ${wasLeftOpen} AND (
     coalesce(times, 0) > 1
     OR (coalesce(times, 0) = 0 AND tool_call.state IN ('finished', 'failed', 'denied', 'skipped'))
     OR (coalesce(times, 0) = 0 AND tool_call.state = 'unknown' AND recovery IS NOT 'unknown')
     OR (times = 1 AND tool_call.state IN ('requested', 'approved', 'running'))
   )`,
  `SELECT 'Call ' || tool_call.id || ' is ' || tool_call.state || ' in a turn that is over.'
   FROM tool_call JOIN turn ON turn.id = tool_call.turn_id
   WHERE turn.ended_at IS NOT NULL AND NOT ${isUndecided} AND (
     tool_call.state = 'running'
     OR (tool_call.state IN ('requested', 'approved') AND stop_reason IN ('completed', 'max_iterations', 'needs_user'))
   )`,
  `SELECT 'Call ' || id || ' is ' || state || ' and was never started.' FROM tool_call
   WHERE state IN ('running', 'finished', 'unknown') AND started_at IS NULL`,
  `SELECT 'Call ' || tool_call.id || ' belongs to another turn than its message.' FROM tool_call
   JOIN message ON message.id = message_id WHERE message.turn_id <> tool_call.turn_id`,
];
