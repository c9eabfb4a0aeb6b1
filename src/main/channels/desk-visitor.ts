import { z } from "zod";
import type { Desk, Shell } from "../../shared/bridge.ts";
import type { Log } from "../lib/log.ts";

export interface VisitorOptions {
  readonly desk: Desk;
  readonly shell: Shell;
  readonly send: (text: string) => void;
  readonly log: Log;
}

/** A call of a page. What it names and brings is for the contract to judge. */
const CallFrame = z.strictObject({ id: z.int().min(0), name: z.unknown(), input: z.unknown() });

/** One who came in from outside and speaks in frames: `{id,name,input}` is answered by `{id,reply}`, and batches go out between. */
export function deskVisitor({ desk, shell, send, log }: VisitorOptions) {
  const client = desk.connect(shell, (batch) => send(JSON.stringify({ batch })));
  return {
    async message(text: string): Promise<void> {
      const frame = CallFrame.safeParse(parseJson(text)).data;
      if (!frame) return log.warn(`${shell.kind}.frame-refused`, { characters: text.length });
      const reply = await client.call(frame.name, frame.input);
      send(JSON.stringify({ id: frame.id, reply }));
    },
    closed: () => client.close(),
  };
}

/** Undefined: it is no JSON, and so no frame of anybody. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
