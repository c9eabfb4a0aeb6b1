import type { Link } from "../../shared/links.ts";

/** What stands beside a link's text: nothing where the text is the address, the host, or the host as a warning. */
export type Beside = "nothing" | "host" | "warning";

const nameInText = /(?:^|[\s/@(])((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})/giu;

/** Whether the reader has to be told where a link leads, because its text does not say it or says something else. */
export function besideLink(text: string, { url, host }: Extract<Link, { kind: "open" }>): Beside {
  const said = text.trim();
  if (bare(said) === bare(url) || bare(said) === host) return "nothing";
  for (const [, name] of said.matchAll(nameInText)) {
    if (bare(name ?? "") !== bare(host.replace(/:\d+$/, ""))) return "warning";
  }
  return "host";
}

/** An address without what people leave out when they write one. */
const bare = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^(https?:\/\/|mailto:)/, "")
    .replace(/^www\./, "")
    .replace(/\/$/, "");
