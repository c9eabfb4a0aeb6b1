import type { ChatSummary } from "../../shared/views.ts";

/** What a group of chats is called: one of these, or the month in which its chats were changed (its first day). */
export type GroupName = "private" | "pinned" | "today" | "yesterday" | "week" | "thirtyDays" | Date;

/** One line of the list. */
export type Line =
  | { readonly kind: "heading"; readonly id: string; readonly name: GroupName }
  | { readonly kind: "chat"; readonly id: string; readonly chat: ChatSummary };

/** The list as it is shown, top to bottom: private chats, pinned ones, then the others by when they were changed. */
export function linesOf(chats: readonly ChatSummary[], now: number): Line[] {
  const groupOf = grouping(new Date(now));
  const sorted = [...chats].sort((a, b) => rank(a) - rank(b) || b.updatedAt - a.updatedAt);
  const lines: Line[] = [];
  let current: string | undefined;
  for (const chat of sorted) {
    const name = groupOf(chat);
    const id = typeof name === "string" ? name : `${name.getFullYear()}-${name.getMonth() + 1}`;
    if (id !== current) lines.push({ kind: "heading", id, name });
    current = id;
    lines.push({ kind: "chat", id: chat.id, chat });
  }
  return lines;
}

const rank = (chat: ChatSummary) => (chat.private ? 0 : chat.pinned ? 1 : 2);

/** Days are the person's own: from midnight to midnight where the computer stands, however long such a day is. */
function grouping(now: Date): (chat: ChatSummary) => GroupName {
  const daysAgo = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).getTime();
  const starts: ReadonlyArray<[GroupName, number]> = [
    ["today", daysAgo(0)],
    ["yesterday", daysAgo(1)],
    ["week", daysAgo(7)],
    ["thirtyDays", daysAgo(30)],
  ];
  return ({ private: isPrivate, pinned, updatedAt }) => {
    if (isPrivate) return "private";
    if (pinned) return "pinned";
    const found = starts.find(([, start]) => updatedAt >= start);
    if (found) return found[0];
    const changed = new Date(updatedAt);
    return new Date(changed.getFullYear(), changed.getMonth(), 1);
  };
}
