import { posix } from "node:path";

const most = 3;
const lookedThrough = 20_000;
/** Shorter, because a run of dots and dashes costs the square of its length. */
const lookedThroughForPaths = 4_000;
const quotes = [`"`, "'", "`", "“", "”", "‘", "’", "「", "」", "『", "』", "《", "》"].join("");

/** A letter of a script that puts spaces between words: where two of them touch, no name begins or ends. */
const word = String.raw`[[\p{L}\p{N}_]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]`;
const startsWithWord = new RegExp(`^${word}`, "v");
const endsWithWord = new RegExp(`${word}$`, "v");
/** In front of a name, these make it the end of a longer one: docs/a.md, old-a.md, b.a.md, me@a.md. */
const longerBefore = new RegExp(String.raw`\/$|[\p{L}_][\-.]$|\p{N}-$|${word}@$`, "v");
/** Behind a name, these make it the beginning of a longer one: a.md.bak, a.md-old, a.md/b. */
const longerAfter = new RegExp(String.raw`^[.\-]${word}|^\/[\p{L}\p{N}_]`, "v");

const fold = (text: string): string => text.normalize("NFC").toLowerCase();

/**
 * The files of a list that a text names, in the order of the text, at most three: by relative path, or by a base name
 * with an ending that only one of them has. Case does not matter; spaces around are not needed where a script has none.
 * A word that is also a file (`notes`) counts in quotes, or when it is written with the capitals of the file (`LICENSE`).
 */
export function mentionedFiles(text: string, paths: readonly string[]): string[] {
  const said = text.slice(0, lookedThrough).normalize("NFC");
  const names = [...namesOf(paths, said)].filter(
    ([name, path]) => name.includes("/") || isOutright(said, posix.basename(path)),
  );
  names.sort(([one], [other]) => other.length - one.length);

  let rest = fold(said)
    .replaceAll("\\", "/")
    .replaceAll(/(?<![\p{L}\p{N}_./])\.\//gu, "");
  const places = new Map<string, number>();
  for (const [name, path] of names) {
    for (let at = rest.indexOf(name); at >= 0; at = rest.indexOf(name, at + 1)) {
      if (!isWhole(rest, at, name)) continue;
      places.set(path, Math.min(at, places.get(path) ?? at));
      rest = rest.slice(0, at) + "\n".repeat(name.length) + rest.slice(at + name.length); // no shorter name in here
    }
  }
  return [...places]
    .sort(([, one], [, other]) => one - other)
    .slice(0, most)
    .map(([path]) => path);
}

/** A path as people write it: two parts at least, up to a space, a mark, or the words of a script without spaces. */
const pathLike =
  /(?<![[\p{L}\p{N}_.\/~:]--\p{sc=Han}])(?:~|[[\p{L}\p{N}_.\-]--\p{sc=Han}]*)(?:\/[[\p{L}\p{N}_.~\-]--\p{sc=Han}]*[[\p{L}\p{N}_~\-]--\p{sc=Han}])+/gv;

/** Paths in a text that lead out of the workspace: from the root, upwards, from home, or through one of its links. */
export function mentionedElsewhere(text: string, links: readonly string[]): string[] {
  const paths = text.slice(0, lookedThroughForPaths).match(pathLike) ?? [];
  const leadsOut = (path: string) =>
    path.startsWith("../") ||
    path.startsWith("~/") ||
    /^\/[^/]+\//.test(path) ||
    links.some((link) => path.startsWith(`${link}/`));
  return [...new Set(paths)].filter(leadsOut);
}

/** Every folded name that stands for one file. A relative path goes before a base name; what two files share names none. */
function namesOf(paths: readonly string[], said: string): Map<string, string> {
  const byBase = new Map<string, string | undefined>();
  for (const path of paths) {
    const base = fold(posix.basename(path));
    if (posix.extname(base) !== "") byBase.set(base, byBase.has(base) ? undefined : path);
  }
  const names = new Map([...byBase].filter((entry): entry is [string, string] => entry[1] !== undefined));
  const exactLast = paths.toSorted((one, other) => Number(said.includes(one)) - Number(said.includes(other)));
  for (const path of exactLast) names.set(fold(path), path); // of A.md and a.md, the one that is spelled as in the text
  return names;
}

/** Whether a name without a folder is one beyond doubt: it has an ending, stands in quotes, or has capitals as in the text. */
function isOutright(said: string, base: string): boolean {
  if (posix.extname(base) !== "") return true;
  if (/\p{Lu}/u.test(base) && said.includes(base)) return true;
  return [...quotes].some((quote) => said.includes(quote + base));
}

function isWhole(text: string, at: number, name: string): boolean {
  const before = text.slice(Math.max(0, at - 4), at);
  const after = text.slice(at + name.length, at + name.length + 4);
  if (longerBefore.test(before) || longerAfter.test(after)) return false;
  if (endsWithWord.test(before) && startsWithWord.test(name)) return false;
  return !(startsWithWord.test(after) && endsWithWord.test(name));
}
