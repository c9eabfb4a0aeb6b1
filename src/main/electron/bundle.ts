import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { pageHeaders } from "../../shared/policy.ts";

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".woff": "font/woff",
  ".ttf": "font/ttf",
};

/**
 * Answers requests for the files of the built page. They are listed once, at start, and a request must name one of
 * them exactly: no path is ever put together from a URL, so none can lead out of the folder.
 */
export function serveBundle(folder: string): (request: Request) => Promise<Response> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length).replaceAll("\\", "/"), path]),
  );
  return async ({ method, url }) => {
    if (method !== "GET") return new Response(null, { status: 405 });
    const { host, pathname } = new URL(url);
    const path = host === "bundle" ? files.get(pathname) : undefined;
    if (path === undefined) return new Response(null, { status: 404 });
    const type = contentTypes[extname(path)] ?? "application/octet-stream";
    return new Response(await readFile(path), { headers: { ...pageHeaders, "Content-Type": type } });
  };
}
