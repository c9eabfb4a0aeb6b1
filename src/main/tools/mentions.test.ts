import { describe, expect, test } from "vitest";
import { mentionedFiles } from "./mentions.ts";

const files = [
  "notes.md",
  "my notes.md",
  "docs/plan.md",
  "docs/deep/Budget 2025.xlsx",
  "a/same.txt",
  "b/same.txt",
  "报告.md",
  "总结报告.md",
  "data/销售数据.csv",
  "café.txt",
  "LICENSE",
  "todo",
  ".env",
  "I.md",
  "파일.txt",
];

describe("a message names", () => {
  test.each<[string, string[]]>([
    ["Please read notes.md", ["notes.md"]],
    ["Read notes.md.", ["notes.md"]],
    ["NOTES.MD?", ["notes.md"]],
    ["(notes.md)", ["notes.md"]],
    ["@notes.md what is in it", ["notes.md"]],
    ["./notes.md", ["notes.md"]],
    ["- notes.md\n-docs/plan.md", ["notes.md", "docs/plan.md"]],
    ["what does docs/plan.md say", ["docs/plan.md"]],
    ["what does docs\\plan.md say", ["docs/plan.md"]],
    ["what does plan.md say", ["docs/plan.md"]],
    ['sum up "Budget 2025.xlsx"', ["docs/deep/Budget 2025.xlsx"]],
    ["sum up budget 2025.xlsx please", ["docs/deep/Budget 2025.xlsx"]],
    ["`my notes.md`", ["my notes.md"]],
    ["my notes.md and notes.md", ["my notes.md", "notes.md"]],
    ["a/same.txt or b/same.txt", ["a/same.txt", "b/same.txt"]],
    ["plan.md, then notes.md, then plan.md again", ["docs/plan.md", "notes.md"]],
    ["请总结报告.md的内容", ["总结报告.md"]],
    ["请看报告.md。", ["报告.md"]],
    ["打开notes.md看看", ["notes.md"]],
    ["请读《报告.md》和“销售数据.csv”", ["报告.md", "data/销售数据.csv"]],
    ["比较报告.md和销售数据.csv，再看notes.md和plan.md", ["报告.md", "data/销售数据.csv", "notes.md"]],
    ["파일.txt를 읽어줘", ["파일.txt"]],
    ["read cafe\u0301.txt", ["café.txt"]],
    ["CAFÉ.TXT", ["café.txt"]],
    ["what does LICENSE allow", ["LICENSE"]],
    ["read `todo`", ["todo"]],
    ['read ".env"', [".env"]],
  ])("%j: %j", (text, named) => {
    expect(mentionedFiles(text, files)).toEqual(named);
  });

  test.each([
    "no file at all",
    "",
    "same.txt", // two of them
    "notes.mdx",
    "notes.md.bak",
    "notes.md-old",
    "old-notes.md",
    "x.notes.md",
    "mynotes.md",
    "other/notes.md",
    "https://example.org/notes.md",
    "mail me@notes.md",
    "what can I do", // I.md
    "the license of my todo list",
    "docs",
    "docs/",
    "say something about .env files",
  ])("nothing: %j", (text) => {
    expect(mentionedFiles(text, files)).toEqual([]);
  });

  test("only what the beginning of a very long text names", () => {
    expect(mentionedFiles(`${" ".repeat(30_000)}notes.md`, files)).toEqual([]);
  });

  test("the file with the very same capitals where case tells two apart", () => {
    const both = ["a.md", "A.md"];
    expect([mentionedFiles("read A.md", both), mentionedFiles("read a.md", both)]).toEqual([["A.md"], ["a.md"]]);
  });
});
