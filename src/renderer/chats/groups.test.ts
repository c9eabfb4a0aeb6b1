import { expect, test } from "vitest";
import type { ChatSummary } from "../../shared/views.ts";
import { linesOf } from "./groups.ts";

const now = new Date(2026, 9, 26, 9, 30).getTime();
const at = (...date: [number, number, number, number?]) => new Date(...date).getTime();
const chat = (id: string, updatedAt: number, change: Partial<ChatSummary> = {}): ChatSummary => ({
  id,
  title: id,
  pinned: false,
  neverCloud: false,
  private: false,
  createdAt: 0,
  updatedAt,
  state: "idle",
  ...change,
});
const shown = (chats: ChatSummary[]) =>
  linesOf(chats, now).map(({ kind, id }) => (kind === "heading" ? `# ${id}` : id));

test("private chats come first, then the pinned ones, then the days", () => {
  const chats = [
    chat("old and pinned", at(2024, 1, 2), { pinned: true }),
    chat("now", now),
    chat("secret", at(2026, 9, 1), { private: true, pinned: true }),
  ];
  expect(shown(chats)).toEqual(["# private", "secret", "# pinned", "old and pinned", "# today", "now"]);
});

test("a day begins at midnight here, not 24 hours ago", () => {
  const chats = [
    chat("just after midnight", at(2026, 9, 26, 0)),
    chat("late last night", at(2026, 9, 26, 0) - 1),
    chat("the day before", at(2026, 9, 25, 0) - 1),
  ];
  expect(shown(chats)).toEqual([
    "# today",
    "just after midnight",
    "# yesterday",
    "late last night",
    "# week",
    "the day before",
  ]);
});

test("what is older than 30 days stands under its month, also that of another year", () => {
  const chats = [
    chat("three weeks", at(2026, 9, 5)),
    chat("September", at(2026, 8, 20)),
    chat("also September", at(2026, 8, 2)),
    chat("a year ago", at(2025, 8, 20)),
  ];
  expect(shown(chats)).toEqual([
    "# thirtyDays",
    "three weeks",
    "# 2026-9",
    "September",
    "also September",
    "# 2025-9",
    "a year ago",
  ]);
});

test("a clock that was wrong puts a chat of the future under today", () => {
  expect(shown([chat("tomorrow", now + 90_000_000)])).toEqual(["# today", "tomorrow"]);
});
