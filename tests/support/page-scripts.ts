import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { gzipSync } from "node:zlib";
import { parseSync } from "vite";

/** Texts of scripts by their path in the built page. */
export type Scripts = ReadonlyMap<string, string>;

/** All scripts of a built page, and those that are there before anything can be shown: what index.html names, and what that imports. */
export function readPageScripts(app: string): { all: Scripts; first: Scripts } {
  const folder = join(app, "out", "renderer");
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".js"));
  const all = new Map(paths.map((path) => [path.replaceAll("\\", "/"), readFileSync(join(folder, path), "utf8")]));
  const first = new Map<string, string>();
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const open = [...page.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, path = ""]) => path);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const text = all.get(path);
    if (text === undefined) throw new Error(`The page has no ${path}.`);
    if (first.has(path)) continue;
    first.set(path, text);
    open.push(...staticImports(path, text));
  }
  return { all, first };
}

/** Bytes of the scripts, each packed by itself with gzip. */
export const sizeOf = (scripts: Scripts): number =>
  [...scripts.values()].reduce((sum, text) => sum + gzipSync(text).length, 0);

function staticImports(path: string, text: string): string[] {
  const { staticImports: imports, staticExports: exports } = parseSync(path, text).module;
  const again = exports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest ?? []));
  const names = [...imports.map(({ moduleRequest }) => moduleRequest), ...again].map(({ value }) => value);
  return names.map((name) => posix.join(posix.dirname(path), name));
}
