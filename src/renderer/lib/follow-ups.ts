import type { Message } from "../../shared/message.ts";
import type { TurnView } from "../../shared/views.ts";

/**
 * What the person added while an answer was written. Its rows are user rows behind the question's own, which stands
 * before the first request; a turn that is told by its events does not have that one.
 */
export function followUpsOf({ rows, requests }: TurnView): Message[] {
  const answered = rows.findIndex(({ role }) => role === "assistant");
  const asked = Math.min(...requests.map(({ startedAt }) => startedAt));
  return rows.filter(
    ({ role, kind, status, createdAt }, at) =>
      role === "user" &&
      kind === "chat" &&
      status !== "hidden" &&
      ((answered !== -1 && at > answered) || createdAt > asked),
  );
}
