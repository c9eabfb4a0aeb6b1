import { harmless } from "./harmless.ts";
import { leftTurns, waits, writtenText } from "./left-turns.ts";
import type { Road } from "./road.ts";
import type { Output } from "./terminal.ts";

export interface TellOptions {
  readonly road: Road;
  readonly output: Output;
  readonly sessionId: string;
  /** What becomes of an interrupted answer of this chat, in words. */
  readonly then: string;
}

/** Says, before a conversation goes on, what a crash left in it and elsewhere; an answer that was whole is delivered. */
export async function tellWhatIsLeft({ road, output, sessionId, then }: TellOptions): Promise<void> {
  const turns = leftTurns((await road.call("turns.left", {})).left);
  const here = turns.filter(({ chatId }) => chatId === sessionId);
  for (const turn of here.filter((one) => !waits(one))) {
    output.out(`${harmless(writtenText(turn))}\n`);
    await road.call("turns.dismiss", { turnId: turn.turnId });
  }
  if (here.some(waits)) {
    output.aside(`The last answer in this chat was interrupted. What was written of it is kept. ${then}\n`);
  }
  const elsewhere = turns.filter((turn) => waits(turn) && turn.chatId !== sessionId).length;
  const [many, verb] =
    elsewhere === 1 ? ["An interrupted answer", "waits"] : [`${elsewhere} interrupted answers`, "wait"];
  if (elsewhere > 0) output.aside(`${many} in another chat ${verb} for you: npm run -s recover\n`);
}
