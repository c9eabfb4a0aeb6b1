import type { Purpose } from "../../shared/network.ts";
import { hostOf, isAddress, isLocalhost, kindOf, portOf } from "./addresses.ts";

const proxied: readonly Purpose[] = ["download", "hub-search"];

/** The proxy that a person has set for such an errand (HTTPS_PROXY, HTTP_PROXY, NO_PROXY); undefined: go there directly. */
export function proxyFor(url: URL, purpose: Purpose, environment: NodeJS.ProcessEnv): URL | undefined {
  const host = hostOf(url);
  const isHere = isLocalhost(host) || (isAddress(host) && kindOf(host) === "loopback");
  if (isHere || !proxied.includes(purpose) || isExcepted(url, settingOf(environment, "NO_PROXY"))) return undefined;
  const text = settingOf(environment, url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  return text && URL.canParse(text) ? new URL(text) : undefined;
}

/** The small letters are the older custom, and win. */
const settingOf = (environment: NodeJS.ProcessEnv, name: string): string =>
  environment[name.toLowerCase()] || environment[name] || "";

function isExcepted(url: URL, list: string): boolean {
  const host = hostOf(url);
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = "", port] = /^(?:\*?\.)?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      const isHost = host === name || host.endsWith(`.${name}`);
      return isHost && (port === undefined || Number(port) === portOf(url));
    });
}
