/** Of a result that does not stay whole, the model sees so many characters. */
const KEPT = 1_200;
/** A little more than that is not worth cutting. What was kept in a file is as short: its name is never cut off. */
const SHORT = 1_600;

/** Stores a whole result and returns its name; undefined where that could not be done. */
export type KeepResult = (text: string) => Promise<string | undefined>;

/**
 * What the model reads of a result. One over the cap goes to a file, and its row has the beginning and the name, once and
 * for all: the prefix never moves. Where nothing may be kept it is cut. Never throws.
 */
export async function fittingResult(text: string, cap: number, keep?: KeepResult): Promise<string> {
  if (text === "") return "(no output)";
  if (text.length <= cap) return text;
  const name = await keep?.(text);
  if (name === undefined) return `${beginningOf(text, cap)}\n[cut: ${text.length - cap} more characters]`;
  const beginning = beginningOf(text, Math.min(cap, KEPT));
  return `${beginning}\n[… the whole result has ${text.length} characters; read_file shows it: path "${name}"]`;
}

/** A result that makes room for what is newer. A short one stays as it is. */
export function shortenedResult(text: string): string {
  if (text.length <= SHORT) return text;
  return `${beginningOf(text, KEPT)}\n[… ${text.length - KEPT} more characters were left out to save room]`;
}

/** Not half a character at its end, and a copy: a slice would hold the whole text in memory. */
function beginningOf(text: string, length: number): string {
  const isHalved = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return Buffer.from(text.slice(0, isHalved ? length - 1 : length)).toString();
}
