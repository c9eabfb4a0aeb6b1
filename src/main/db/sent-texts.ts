import { z } from "zod";

/** What one request of a turn sent: so many characters of what the one before sent, and then the rest. */
const Piece = z.object({ number: z.number(), shared: z.number(), rest: z.string() });
type Piece = z.infer<typeof Piece>;

const Pieces = z.array(Piece);

/**
 * What the requests of running turns sent. Each says again nearly all that the one before said, so only the difference is
 * kept, and a turn's texts go to the disk together, once, when it is over: written one by one they would be a third of all
 * that a turn with many tools writes.
 */
export function createSentTexts() {
  const running = new Map<string, Sent>();
  return {
    /** A text under the number of the one before takes its place: it is what really left. */
    add(turnId: string, number: number, text: string): void {
      const { pieces, last } = before(running.get(turnId) ?? { pieces: [], last: "" }, number);
      const shared = sharedLength(last, text);
      running.set(turnId, { pieces: [...pieces, { number, shared, rest: text.slice(shared) }], last: text });
    },
    /** Undefined when the turn is over or did not send it. */
    text: (turnId: string, number: number): string | undefined => textOf(running.get(turnId)?.pieces ?? [], number),
    /** All of a turn as one text to be stored, and no longer here; undefined when it sent nothing. */
    take(turnId: string): string | undefined {
      const found = running.get(turnId);
      running.delete(turnId);
      return found && JSON.stringify(found.pieces);
    },
  };
}

interface Sent {
  readonly pieces: readonly Piece[];
  /** What the last of them says. */
  readonly last: string;
}

/** What was sent before the request of this number. */
function before(sent: Sent, number: number): Sent {
  if (sent.pieces.at(-1)?.number !== number) return sent;
  const pieces = sent.pieces.slice(0, -1);
  return { pieces, last: textOf(pieces, pieces.at(-1)?.number ?? 0) ?? "" };
}

export type SentTexts = ReturnType<typeof createSentTexts>;

/** One text out of what `take` gave. Throws when it does not read. */
export const sentText = (stored: string, number: number): string | undefined =>
  textOf(Pieces.parse(JSON.parse(stored)), number);

function textOf(pieces: readonly Piece[], wanted: number): string | undefined {
  let text = "";
  for (const { number, shared, rest } of pieces) {
    text = text.slice(0, shared) + rest;
    if (number === wanted) return text;
  }
  return undefined;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return length;
}
