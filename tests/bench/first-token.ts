import { figure, type Group, machineMs, median } from "./figure.ts";
import { usageOf, withRealApp } from "./real-app.ts";

const questions = [
  "What is the capital of Japan?",
  "What is the opposite of hot?",
  "Which planet is known as the Red Planet?",
  "What is the chemical formula of water?",
  "What colour is the sky?",
];
const rounds = 4;

/** What a person waits for the first word beyond what the model needs: store, loop, prompt, process boundary, batching of events. */
export const firstToken: Group = {
  name: "first-token",
  measure: () =>
    withRealApp(async ({ ask }) => {
      const added: number[] = [];
      for (const question of Array(rounds).fill(questions).flat() as string[]) {
        const asked = await ask(question);
        if (asked.firstDeltaMs === undefined) throw new Error(`No word came for "${question}".`);
        added.push(asked.firstDeltaMs - usageOf(asked).firstTokenMs);
      }
      return [figure("time Lares adds to the first token", median(added), machineMs, { atMost: 30 })];
    }),
};
