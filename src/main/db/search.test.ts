import { beforeEach, describe, expect, test } from "vitest";
import { aRow, storedTurn, tableProblems } from "../../../tests/support/stored-turn.ts";
import type { NewMessage } from "../../shared/message.ts";
import { createStore, type Store } from "./store.ts";

let store: Store;
beforeEach(() => {
  store = createStore(":memory:");
  storedTurn(store);
});

const say = (text: string, more: Partial<NewMessage> = {}) => store.append(aRow(text, more)).id;
const find = (query: string, limit = 10, sessionId?: string) =>
  store.search(query, { limit, ...(sessionId !== undefined && { sessionId }) }).map(({ messageId }) => messageId);

describe("finds", () => {
  const cases: [what: string, text: string, query: string][] = [
    ["a word", "The quick brown fox", "brown"],
    ["a word in another case", "The quick brown fox", "BROWN"],
    ["a word without its accents", "Ein Café in Zürich", "cafe zurich"],
    ["a word with accents that the text has not", "cafe", "café"],
    ["words in any order", "The quick brown fox", "fox quick"],
    ["the middle of a word", "Donaudampfschifffahrt", "dampfschiff"],
    ["the middle of a word without its accents", "Großübersetzung", "ubersetz"],
    ["a part over a word's end", "The quick brown fox", "ick"],
    ["a file name", "see src/main/app.ts:12", "app.ts"],
    ["one Chinese character", "我喜欢中国历史和文化", "历"],
    ["two Chinese characters", "我喜欢中国历史和文化", "历史"],
    ["the last two Chinese characters", "我喜欢中国历史和文化", "文化"],
    ["many Chinese characters", "我喜欢中国历史和文化", "喜欢中国历史"],
    ["Chinese words apart", "我喜欢中国历史和文化", "文化 中国"],
    ["Chinese beside Latin", "用 TypeScript 写的程序", "程序 typescript"],
    ["two letters", "the OK button", "ok"],
    ["an emoji", "well done 🎉", "🎉"],
    ["a family of emoji", "home 👨‍👩‍👧‍👦!", "👨‍👩‍👧‍👦"],
    ["Hebrew", "שלום עולם", "עולם"],
    ["text after a NUL", "before\0after", "after"],
    ["signs with a meaning in LIKE", "it is 100%_sure", "0%_s"],
    ["two letters after a NUL", "a\0OK", "ok"],
  ];
  test.each(cases)("%s", (_, text, query) => {
    const id = say(text);
    say("something else entirely");
    expect(find(query)).toEqual([id]);
  });

  test("every term, not just one", () => {
    say("apples and pears");
    expect(find("apples oranges")).toEqual([]);
    expect(find("apples 梨")).toEqual([]);
  });

  test("whole words before parts of words, and the newest part first", () => {
    const part = say("a snowman");
    const word = say("let it snow");
    const newer = say("snowflakes");
    expect(find("snow")).toEqual([word, newer, part]);
    expect(find("snow", 2)).toEqual([word, newer]);
    expect(find("snow", 1)).toEqual([word]);
    expect(find("snow", 0)).toEqual([]);
  });

  test("the more relevant of two", () => {
    const aside = say(`fox ${"and other animals ".repeat(50)}`);
    const about = say("fox fox fox");
    expect(find("fox")).toEqual([about, aside]);
  });

  test("what the first thousand characters of the query ask for", () => {
    const id = say("needle");
    expect(find(`needle${" ".repeat(1_000)}absent`)).toEqual([id]);
  });

  test("only in the session that is asked for, when one is", () => {
    storedTurn(store, "u", "other");
    const here = say("snowman 雪人");
    const there = say("snowman 雪人", { turnId: "u", sessionId: "other" });
    for (const query of ["snowman", "nowma", "雪"]) {
      expect(find(query, 10, "other")).toEqual([there]);
      expect(find(query)).toContain(here);
      expect(find(query)).toContain(there);
    }
  });

  test("with the text around it", () => {
    const long = `a NUL \0 and ${"left ".repeat(100)}the needle 针 here${" right".repeat(100)}`;
    const id = say(long);
    for (const query of ["needle", "eedl", "针"]) {
      const [hit] = store.search(query, { limit: 1 });
      expect(hit).toMatchObject({ messageId: id, sessionId: "s", turnId: "t" });
      expect(hit?.snippet).toMatch(/needle 针/);
      expect(hit?.snippet.length).toBeLessThan(200);
    }
  });
});

describe("what is searched", () => {
  test("is what people and the assistant said, not tools, notes, commands, thoughts or what is hidden", () => {
    say("secretword", { role: "tool" });
    say("secretword", { kind: "note" });
    say("secretword", { kind: "command" });
    say("secretword", { status: "hidden" });
    say("secretword", { role: "assistant", status: "hidden" });
    say("", { role: "assistant", parts: [{ type: "reasoning", text: "secretword" }] });
    say("", { parts: [{ type: "context", text: "secretword" }] });
    for (const query of ["secretword", "ecretwor", "se"]) expect(find(query)).toEqual([]);
    const id = say("", {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "hm" },
        { type: "text", text: "one" },
        { type: "text", text: "two" },
      ],
    });
    expect(find("one two")).toEqual([id]);
  });

  test("a question is found before it is answered, an answer when it is finished", () => {
    const question = say("pending question", { status: "pending" });
    const answer = say("a question", { role: "assistant", status: "streaming" });
    store.appendChunk(answer, "text", " streamed");
    expect(find("question")).toEqual([question]);
    store.finish(answer, { parts: [{ type: "text", text: "final question" }], status: "complete", finishedAt: 9 });
    expect(find("question").sort()).toEqual([question, answer]);
    expect(find("streamed")).toEqual([]);
    expect(tableProblems(store)).toEqual([]);
  });

  test("a question that closes with other words, or hidden, is found by what it became", () => {
    const changed = say("old words", { status: "pending" });
    const same = say("same words", { status: "pending" });
    const hidden = say("hidden words", { status: "pending" });
    const end = { status: "complete", finishedAt: 9 } as const;
    store.finish(changed, { ...end, parts: [{ type: "text", text: "new words" }] });
    store.finish(same, {
      ...end,
      parts: [
        { type: "text", text: "same words" },
        { type: "context", text: "today" },
      ],
    });
    store.finish(hidden, { ...end, status: "hidden", parts: [{ type: "text", text: "hidden words" }] });
    expect(find("words").sort()).toEqual([changed, same]);
    expect(find("old")).toEqual([]);
    expect(find("new")).toEqual([changed]);
    expect(tableProblems(store)).toEqual([]);
  });

  test("what was undone is not found", () => {
    const undone = () => {
      say("never happened");
      throw new Error("undo");
    };
    expect(() => store.atomically(undone)).toThrow("undo");
    expect(find("never")).toEqual([]);
    expect(tableProblems(store)).toEqual([]);
  });

  test("of a very long text the first 200,000 characters are searched", () => {
    const id = say(`beginning ${"filler ".repeat(40_000)} ending`);
    expect(find("beginning")).toEqual([id]);
    expect(find("ending")).toEqual([]);
    expect(tableProblems(store)).toEqual([]);
  });
});

const hostile = [
  "",
  "   ",
  '"',
  '""',
  '"""',
  'a"b',
  "*",
  "a*",
  "^a",
  "(",
  ")",
  "a AND",
  "NOT",
  "OR OR",
  "NEAR(a b, 3)",
  "text:a",
  "{text}:a",
  "-a",
  "+",
  "'; DROP TABLE message; --",
  "\0",
  "a\0b",
  "%",
  "_",
  "\\",
  "。，",
  "\ud800",
  "\u0301\u0301\u0301",
  "x".repeat(100_000),
  "ab ".repeat(10_000),
  '" '.repeat(5_000),
];
test.each(hostile)("the query %j is just a query", (query) => {
  say("nothing of the kind");
  expect(Array.isArray(store.search(query, { limit: 5 }))).toBe(true);
  expect(Array.isArray(store.search(query, { limit: 5, sessionId: "s" }))).toBe(true);
});

test("words of the query language are words", () => {
  const id = say("NOT NEAR the text: OR (else)");
  for (const query of ["NOT", "NEAR", "OR", "(else)", "text:", '"NEAR']) expect(find(query)).toEqual([id]);
});
