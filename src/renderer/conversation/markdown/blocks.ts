import { Lexer, type TokenizerExtensionFunction } from "marked";
import { isHeavy, isTooMuch, MAX_CODE } from "./measure.ts";

/**
 * A piece of an answer that is drawn on its own. plain: too much for a parser. definition: where a link leads, which
 * is seen in other blocks only.
 */
export interface Block {
  readonly kind: "markdown" | "code" | "plain" | "definition";
  readonly text: string;
  /** Of code: what stands behind its fence. */
  readonly language: string;
}

/** A text in blocks. The same text grown by a piece needs only its last blocks cut again. */
export interface Cut {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Where each block starts in the text. */
  readonly starts: readonly number[];
}

const MAX_BLOCKS = 2_000;
const MAX_DEFINITIONS = 10_000;
const MAX_FOOTNOTED = 20_000;

/** To its end, or while it grows to the end of what is there. */
const mathBlock = /^(?:\$\$[ \t]*\n[\s\S]*?(?:\n[ \t]*\$\$[ \t]*(?:\n|$)|$)|\\\[[\s\S]*?(?:\\\][ \t]*(?:\n|$)|$))/;
const footnote = /^ {0,3}\[\^[^\]\n]{1,100}\]:/m;

/** Math is one block, whatever looks like Markdown in it. */
const takeMath: TokenizerExtensionFunction = (source) => {
  const raw = /^(\$\$|\\\[)/.test(source) ? mathBlock.exec(source)?.[0] : undefined;
  return raw ? { type: "math", raw } : undefined;
};

const nothing: Cut = { text: "", blocks: [], starts: [] };

/** The last line of a text that grows decides about its own block and the one before. */
const UNSETTLED = 2;

/** Cuts a text into blocks. What is too much for the parser comes back whole and plain. */
export function cutBlocks(text: string, before: Cut = nothing): Cut {
  if (isTooMuch(text)) return whole(text, "plain");
  if (text.length <= MAX_FOOTNOTED && footnote.test(text)) return whole(text, isHeavy(text) ? "plain" : "markdown");
  const kept = text.startsWith(before.text) ? Math.max(0, before.blocks.length - UNSETTLED) : 0;
  const from = before.starts[kept] ?? 0;
  const blocks = before.blocks.slice(0, kept);
  const starts = before.starts.slice(0, kept);
  let at = from;
  for (const token of tokensOf(text.slice(from))) {
    if (token.type !== "space") {
      blocks.push(blockOf(token));
      starts.push(at);
    }
    at += token.raw.length;
  }
  return blocks.length > MAX_BLOCKS ? whole(text, "plain") : { text, blocks, starts };
}

/** All definitions of a text, to be read with each block that may need one. */
export function definitionsOf({ blocks }: Cut): string {
  const definitions = blocks.filter(({ kind }) => kind === "definition").map(({ text }) => text);
  return definitions.join("\n").slice(0, MAX_DEFINITIONS);
}

interface BlockToken {
  readonly type: string;
  readonly raw: string;
  readonly text?: string;
  readonly lang?: string;
}

function tokensOf(source: string): BlockToken[] {
  const lexer = new Lexer({
    gfm: true,
    extensions: { block: [takeMath], renderers: {}, childTokens: {} },
  });
  return lexer.blockTokens(source) as BlockToken[];
}

function blockOf({ type, raw, text = "", lang = "" }: BlockToken): Block {
  if (type === "code") return { kind: text.length > MAX_CODE ? "plain" : "code", text, language: languageOf(lang) };
  if (type === "def") return { kind: "definition", text: raw.trim(), language: "" };
  return { kind: isHeavy(raw) ? "plain" : "markdown", text: raw.replace(/\n+$/, ""), language: "" };
}

const languageOf = (lang: string): string => /^[\w#+.-]{1,30}/.exec(lang)?.[0].toLowerCase() ?? "";

const whole = (text: string, kind: Block["kind"]): Cut => ({
  text,
  blocks: [{ kind, text, language: "" }],
  starts: [0],
});
