import type { TurnEvent } from "../../src/shared/events.ts";
import { figure, type Group, machineMs, median } from "./figure.ts";
import { type RealApp, sentences, withRealApp } from "./real-app.ts";

const rounds = 5;
/** About 3,000 tokens. */
const longPrompt = 160;

/** From the stop to the end of the turn; the progress of reading is told when a chunk begins, so the stop has all of it to wait for. */
export const stop: Group = {
  name: "stop",
  measure: () =>
    withRealApp(async (real) => {
      const reading: number[] = [];
      const writing: number[] = [];
      for (let round = 1; round <= rounds; round++) {
        const prompt = `${sentences(longPrompt, round * 1000)}\n\nWhat colour is the lamp?`;
        reading.push(await silenceMs(real, prompt, isReading, 1 + round));
        writing.push(await silenceMs(real, `Tell me a story about ${round} old ships.`, isWriting, 4));
      }
      return [
        figure("stop to silence while reading", median(reading), machineMs, { atMost: 500 }),
        figure("stop to silence while writing", median(writing), machineMs, { atMost: 200 }),
      ];
    }),
};

const isReading = (event: TurnEvent) => event.type === "progress" && event.phase === "reading";
const isWriting = (event: TurnEvent) => event.type === "delta";

/** Asks, stops at the n-th event of a kind, and measures until the end of the turn. */
async function silenceMs(
  { ask, bus }: RealApp,
  text: string,
  isOfKind: (event: TurnEvent) => boolean,
  nth: number,
): Promise<number> {
  let seen = 0;
  let stoppedAt = 0;
  const { ended } = await ask(text, {
    watch(event) {
      if (!isOfKind(event) || ++seen !== nth || !("sessionId" in event)) return;
      stoppedAt = performance.now();
      bus.stop(event.sessionId);
    },
  });
  const ms = performance.now() - stoppedAt;
  if (ended.stopReason !== "aborted") throw new Error(`The turn was to be stopped, and is ${ended.stopReason}.`);
  return ms;
}
