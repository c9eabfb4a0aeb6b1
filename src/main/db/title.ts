import { cut } from "./cut.ts";

const MAX_TITLE = 120;
/** A title is looked for at the beginning of a text only: a message may be megabytes. */
const MAX_SEARCHED = 10_000;

const command = /^[/／][a-z]+([^\S\n][^\n]*)?$/i;

/** The first line of a text with something on it, as a title of at most 120 characters; empty if there is none. */
export function titleOf(text: string): string {
  const lines = text.slice(0, MAX_SEARCHED).split(/[\n\r\u2028\u2029\u0085]+/u);
  return cut(lines.map(plain).find((line) => line !== "") ?? "", MAX_TITLE).toWellFormed();
}

/** Without characters that have no shape of their own: they would turn, join or hide what stands beside a title. */
const plain = (line: string): string =>
  line
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/gu, " ")
    .replace(/\p{Cc}/gu, "")
    .trim();

/** A command that gives the chat something to do: what it is, is what the chat is about. */
const goal = /^[/／]goal\s+(?!(?:pause|resume|cancel)\s*$)/i;

/** The title that a chat gets from its first message; a slash command gives none, unless it is a goal. */
export function firstTitle(message: string): string {
  const text = message.trim();
  if (goal.test(text)) return titleOf(text.replace(goal, ""));
  return command.test(text) ? "" : titleOf(message);
}
