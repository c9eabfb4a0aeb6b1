import type { Interface } from "node:readline/promises";
import type { Loopback } from "../net/loopback.ts";
import { openInBrowser } from "../net/open-browser.ts";

export interface AttendOptions {
  readonly browser: Pick<Loopback, "issueAddress">;
  /** Opens the person's browser on the first address, if there is one. */
  readonly open: boolean;
  readonly environment: NodeJS.ProcessEnv;
  /** Enter asks for one more address. */
  readonly lines: Interface;
  readonly say: (text: string) => void;
  /** The person wants to leave. */
  readonly leave: AbortSignal;
}

/** The terminal beside a page in the browser: says where the page is, and gives more addresses. Resolves when the person leaves. */
export async function attend({ browser, open, environment, lines, say, leave }: AttendOptions): Promise<void> {
  const tell = (address: string) => say(`Lares is open at ${address}\n`);
  const left = new Promise<void>((resolve) => leave.addEventListener("abort", () => resolve(), { once: true }));
  if (leave.aborted) return;
  const first = browser.issueAddress();
  tell(first);
  say("Each address lets one tab in: Enter gives another. Ctrl-C stops Lares.\n");
  lines.on("line", () => tell(browser.issueAddress()));
  if (open) await openInBrowser(first, environment);
  await left;
  lines.close();
}
