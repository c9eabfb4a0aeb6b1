import type { TurnView } from "../../shared/views.ts";
import type { Host } from "../lib/host.ts";
import { checkpointsOf } from "./checkpoints.ts";

/** What one call of the contract may carry; anything longer goes the page's own way. Characters. */
const MOST_SAVED = 900_000;

/** Grows when the file's shape changes in a way that a reader has to know of. */
const VERSION = 1;

/** A turn with everything that is known of it, requests as they were sent included: the text of one JSON file. */
export async function traceFileOf(host: Host, view: TurnView, laresVersion: string): Promise<string> {
  const { turn, inbound, rows, trace, requests, calls, notices } = view;
  const withSent = await Promise.all(
    requests.map(async (request) => {
      const { sent } = await host.call("turns.sent", { turnId: turn.id, number: request.number });
      return { ...request, sent: sent === null ? null : (JSON.parse(sent) as unknown) };
    }),
  );
  const file = { format: "lares-trace", version: VERSION, lares: laresVersion, turn, inbound, trace };
  const checkpoints = checkpointsOf(view).map(({ mark, at, step }) => ({ mark, at, step }));
  return `${JSON.stringify({ ...file, checkpoints, requests: withSent, calls, rows, notices }, null, 2)}\n`;
}

/** Where the place of the page has no dialog for it, the text is a download. False: the person left the dialog. */
export async function saveText(host: Host, name: string, text: string): Promise<boolean> {
  if (text.length <= MOST_SAVED) {
    const { supported, saved } = await host.call("shell.saveText", { name, text });
    if (supported) return saved;
  }
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
  return true;
}
