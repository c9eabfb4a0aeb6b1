import type { Message, Part } from "../../shared/message.ts";
import type { Inbound } from "../../shared/turn.ts";
import { findCommand, withoutEscape } from "./commands.ts";
import type { Run } from "./run-state.ts";
import { contextOf } from "./steps/build.ts";

const MOST_AT_ONCE = 3;
const MOST_DRAINS = 5;

/** A follow-up and its row in the running turn. */
interface Joined {
  readonly inbound: Inbound;
  readonly message: Message;
}

/**
 * Takes follow-ups out of the queue into the running turn, at most three at a time and five times in a turn; the rest
 * wait, in order, for turns of their own. To be called where the model is about to be asked again. Returns whether there
 * were any.
 */
export function drain(run: Run): boolean {
  const joined = takeFollowUps(run);
  tellJoined(run, joined);
  return joined.length > 0;
}

/** Each with its row, in one write. What was taken is told with `tellJoined`, once it is on disk. */
export function takeFollowUps(run: Run): Joined[] {
  if (run.drains >= MOST_DRAINS || run.deps.signal.aborted) return [];
  return run.deps.store.atomically(() => joining(run).map((inbound) => ({ inbound, message: inject(run, inbound) })));
}

export function tellJoined(run: Run, joined: readonly Joined[]): void {
  if (joined.length === 0) return;
  run.drains++;
  run.notes.push(`took in ${joined.length} follow-ups`);
  for (const { inbound, message } of joined) {
    const { sessionId, turnId } = message;
    run.rows.push(message);
    run.deps.emit({ type: "injected", sessionId, turnId, inboundId: inbound.id, message });
  }
}

/** The first ones of the queue, up to what needs a turn of its own: a command, or a message that asks a turn again. */
function joining({ deps, turn }: Run): Inbound[] {
  const waiting = deps.store.followUps(turn.sessionId);
  const end = waiting.findIndex(({ text, replaces }) => findCommand(text) !== undefined || replaces !== undefined);
  return waiting.slice(0, end === -1 ? MOST_AT_ONCE : Math.min(end, MOST_AT_ONCE));
}

function inject({ deps, turn, runtime }: Run, { id, text: typed }: Inbound): Message {
  const text = withoutEscape(typed);
  const context = contextOf(text, runtime, deps);
  const parts: Part[] = [
    ...(context === "" ? [] : [{ type: "context" as const, text: context }]),
    { type: "text", text },
  ];
  deps.store.injectInbound(id, turn.id);
  const row = { sessionId: turn.sessionId, turnId: turn.id, role: "user", status: "complete" } as const;
  return deps.store.append({ ...row, parts, createdAt: deps.now() });
}
