import { monitorEventLoopDelay } from "node:perf_hooks";
import { figure, type Group, machineMs } from "./figure.ts";
import { withRealApp } from "./real-app.ts";

const questions = [
  "Tell me a story about an old lighthouse.",
  "Why is the sky blue?",
  "How does a bicycle work?",
  "What is a computer used for?",
  "Why do people sleep?",
  "How is bread made?",
];

/** How long the main process is not to be spoken to while an answer streams through it; the timer's own millisecond is part of it. */
export const eventLoop: Group = {
  name: "event-loop",
  measure: () =>
    withRealApp(async ({ ask }) => {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      for (const question of questions) {
        await ask(question, { watch: ({ type }) => void (type === "delta" && delay.enable()) });
        delay.disable();
      }
      return [figure("event-loop delay while streaming, p99", delay.percentile(99) / 1e6, machineMs, { atMost: 20 })];
    }),
};
