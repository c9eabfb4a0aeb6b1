import { AppError } from "../../shared/errors.ts";
import { exitCodes } from "../../shared/exit-codes.ts";
import type { LedgerRow, LedgerTotals } from "../../shared/network.ts";
import { harmless } from "./harmless.ts";
import type { Road } from "./road.ts";
import type { Output } from "./terminal.ts";

export interface NetworkCommandOptions {
  readonly road: Pick<Road, "call">;
  readonly output: Pick<Output, "out" | "aside">;
  readonly words: readonly string[];
  /** Only of this chat. */
  readonly chat?: string | undefined;
  readonly json: boolean;
}

const PAGE = 500;

/** `lares network`: what left this computer, oldest first, and the switch that lets nothing leave. Throws AppError. */
export async function networkCommand(options: NetworkCommandOptions): Promise<number> {
  const { road, output, words, chat, json } = options;
  if (words.length > 0) return setLocalMode(options);
  const rows = await allRows(options);
  for (const row of rows)
    output.out(json ? `${JSON.stringify({ type: "network", row })}\n` : harmless(`${rowText(row)}\n`));
  if (json) return exitCodes.ok;
  const { settings } = await road.call("app.hello", {});
  output.out(harmless(totalsText(await road.call("network.totals", { ...(chat !== undefined && { chatId: chat }) }))));
  output.out(`Local mode is ${settings.localMode ? "on: nothing but this computer is connected to" : "off"}.\n`);
  return exitCodes.ok;
}

async function setLocalMode({ road, output, words }: NetworkCommandOptions): Promise<number> {
  const [what, to, ...more] = words;
  if (what !== "local" || (to !== "on" && to !== "off") || more.length > 0)
    throw new AppError("bad-request", "It is: network local on, or network local off.");
  await road.call("settings.change", { change: { localMode: to === "on" } });
  output.out(`Local mode is ${to}.\n`);
  return exitCodes.ok;
}

async function allRows({ road, chat }: NetworkCommandOptions): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for (let hasMore = true; hasMore; ) {
    const before = rows.at(-1)?.id;
    const page = await road.call("network.list", {
      ...(chat !== undefined && { chatId: chat }),
      ...(before !== undefined && { before }),
      limit: PAGE,
    });
    rows.push(...page.rows);
    hasMore = page.hasMore && page.rows.length > 0;
  }
  return rows.reverse();
}

function rowText({
  at,
  host,
  port,
  place,
  purpose,
  model,
  bodyOut,
  bodyIn,
  outcome,
  error,
  status,
  chatId,
}: LedgerRow): string {
  const when = new Date(at).toISOString().slice(0, 19).replace("T", " ");
  const what = [purpose, model, chatId && `chat ${chatId}`].filter(Boolean).join(", ");
  const end = [outcome, status, error].filter((one) => one !== undefined).join(" ");
  return `${when}  ${host}:${port} (${place})  ${what}  ${bodyOut} B out, ${bodyIn} B in  ${end}`;
}

const totalsText = ({ connections, refused, bodyOut, bodyIn, byHost }: LedgerTotals): string =>
  [
    ...byHost.map(
      (one) => `${one.host} (${one.place}): ${one.connections} connections, ${one.bodyOut} B out, ${one.bodyIn} B in`,
    ),
    `In all: ${connections} connections, ${refused} refused, ${bodyOut} B out, ${bodyIn} B in.`,
    "",
  ].join("\n");
