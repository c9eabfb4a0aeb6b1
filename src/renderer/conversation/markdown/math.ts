const fence = /^\s*(?:[-*+>]\s*)*(`{3,}|~{3,})/;

/**
 * Writes every kind of math a model uses as `$$…$$`, the one that the parser is told to know: `\(…\)`, `\[…\]`, and
 * `$…$` where it is not money (no space inside the marks, no digit behind them). Code is left alone.
 */
export function markMath(text: string): string {
  if (!/[$]|\\[([]/.test(text)) return text;
  let open = "";
  const lines = text.split("\n").map((line) => {
    const mark = fence.exec(line)?.[1] ?? "";
    if (open !== "") {
      if (mark.startsWith(open)) open = "";
      return line;
    }
    open = mark;
    return mark === "" ? markLine(line) : line;
  });
  return markDisplay(lines.join("\n"));
}

/** `\[` and `\]` on lines of their own; on one line they are handled there. */
const markDisplay = (text: string): string =>
  text.replace(/^([ \t]*)\\\[[ \t]*$/gm, "$1$$$$").replace(/^([ \t]*)\\\][ \t]*$/gm, "$1$$$$");

/** Code, math that is marked already, then the three kinds that are rewritten. */
const pieces =
  /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|\$\$[^$]*\$\$|\\\((.+?)\\\)|\\\[(.+?)\\\]|\\\$|\$(?![\s$])([^$\n]*[^\s$\\])\$(?![\d$])/g;

function markLine(line: string): string {
  if (line.length > 20_000) return line;
  return line.replace(pieces, (piece: string, _ticks, round?: string, square?: string, dollars?: string) => {
    const formula = round ?? square ?? dollars;
    return formula === undefined ? piece : `$$${formula.trim()}$$`;
  });
}
