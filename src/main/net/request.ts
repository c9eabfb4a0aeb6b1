import { AppError } from "../../shared/errors.ts";

const redirects = [301, 302, 303, 307, 308];
const mostRedirects = 5;

/**
 * GET, following at most five redirects, never from https to http. The body is still to be read, or cancelled.
 * The connection itself has the 10 s that Node's fetch gives it; `signal` bounds the rest.
 */
export async function request(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let address = new URL(url);
  for (let hop = 0; hop <= mostRedirects; hop += 1) {
    const response = await fetch(address, { headers, signal, redirect: "manual" });
    const location = redirects.includes(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel();
    address = nextAddress(address, location);
  }
  throw new AppError(
    "download-failed",
    `${new URL(url).host} redirects more than ${mostRedirects} times. Try again later.`,
  );
}

function nextAddress(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (to !== undefined && (to.protocol === "https:" || to.protocol === from.protocol)) return to;
  throw new AppError(
    "download-failed",
    `${from.host} redirects to an address that is not safe to follow. Nothing was fetched.`,
  );
}
