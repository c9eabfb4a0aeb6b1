import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
  ".ttf": "font/ttf",
  ".json": "application/json",
};

/**
 * The built page by the path of each file, read once: a request must name one of them exactly, so no path is ever put
 * together from a URL. `/` is index.html. Rejects when the folder cannot be read.
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = new Map<string, PageFile>();
  await Promise.all(
    paths.map(async (path) => {
      const type = contentTypes[extname(path)] ?? "application/octet-stream";
      files.set(`/${relative(folder, path).replaceAll(sep, "/")}`, { type, bytes: await readFile(path) });
    }),
  );
  const start = files.get("/index.html");
  if (start) files.set("/", start);
  return files;
}
