import { useMemo } from "react";
import type { WireError } from "../../shared/errors.ts";
import { type Message, type Part, textOf } from "../../shared/message.ts";
import type { TurnView } from "../../shared/views.ts";
import { later } from "../lib/later.ts";
import { visibleText } from "../lib/plain-text.ts";
import { Question } from "./Question.tsx";
import { Reasoning } from "./Reasoning.tsx";
import { ToolCard } from "./ToolCard.tsx";
import styles from "./Turn.module.css";
import { conversationRows, resultsOf, thoughtMs } from "./turn-facts.ts";

const Markdown = later(async () => (await import("./markdown/Markdown.tsx")).Markdown);

/** The rows of an answer in their order: thoughts, text, tools, and what the person added while it was written. */
export function Answer({ view }: { view: TurnView }) {
  const { rows } = view;
  const results = useMemo(() => resultsOf({ ...view, rows }), [view, rows]);
  return conversationRows(view).flatMap((row) => {
    if (row.role === "user") return <Question key={row.id} text={textOf(row.parts)} />;
    return row.parts.map((part, index) => {
      const isLast = row.status === "streaming" && index === row.parts.length - 1;
      const key = `${row.id} ${index}`;
      if (part.type === "tool-call") {
        const call = view.calls.find(({ id }) => id === part.id);
        return <ToolCard key={key} part={part} row={row} call={call} result={results.get(part.id)} />;
      }
      return <Words key={key} row={row} part={part} isGrowing={isLast && view.turn.state !== "done"} />;
    });
  });
}

function Words({ row, part, isGrowing }: { row: Message; part: Part; isGrowing: boolean }) {
  if (part.type === "text") return <Markdown text={part.text} isGrowing={isGrowing} />;
  if (part.type === "error") return <Unreadable error={part.error} />;
  if (part.type !== "reasoning" || part.text.trim() === "") return null;
  return <Reasoning text={part.text} ms={thoughtMs(row)} isGrowing={isGrowing} />;
}

/** A row that the disk has damaged says so in its place; every other error is said at the end of the turn. */
function Unreadable({ error }: { error: WireError }) {
  if (error.code !== "data-damaged") return null;
  return <p className={styles.notice}>{visibleText(error.message)}</p>;
}
