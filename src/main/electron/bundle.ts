import { pageHeaders } from "../../shared/policy.ts";
import { readPageFiles } from "../lib/page-files.ts";

/** Answers requests for the files of the built page, each by its exact path; anything else is 404, anything but GET 405. */
export function serveBundle(folder: string): (request: Request) => Promise<Response> {
  const reading = readPageFiles(folder);
  reading.catch(() => undefined); // said to whoever asks for a file
  return async ({ method, url }) => {
    if (method !== "GET") return new Response(null, { status: 405 });
    const { host, pathname } = new URL(url);
    const file = host === "bundle" ? (await reading).get(pathname) : undefined;
    if (file === undefined) return new Response(null, { status: 404 });
    return new Response(new Uint8Array(file.bytes), { headers: { ...pageHeaders, "Content-Type": file.type } });
  };
}
