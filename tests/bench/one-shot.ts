import { figure, type Group, machineMs, median } from "./figure.ts";
import { type Printed, startTerminal, withHome } from "./terminal-app.ts";

const rounds = 3;
const question = "What is the capital of France?";

/** One question from an empty prompt to the next one, the model file in the page cache and its card known. */
export const oneShot: Group = {
  name: "one-shot",
  measure: () =>
    withHome(async (home, model) => {
      const ask = () => startTerminal(home, model, ["ask", question]).ended;
      await ask(); // learns the model's card
      const runs: Awaited<ReturnType<typeof ask>>[] = [];
      for (let round = 0; round < rounds; round++) runs.push(await ask());
      const part = (name: string, msOf: (printed: readonly Printed[], ms: number) => number) =>
        figure(`one question: ${name}`, median(runs.map(({ printed, ms }) => msOf(printed, ms))), machineMs);
      return [
        part("start to end", (_, ms) => ms),
        part("process start to first event", ([first]) => first?.ms ?? Number.NaN),
        part("build (loads the model)", (printed) => stateMs(printed, "build")),
        part("run (the answer)", (printed) => stateMs(printed, "run")),
        part("end of the turn to end of the process", (printed, ms) => ms - (printed.at(-1)?.ms ?? Number.NaN)),
      ];
    }),
};

function stateMs(printed: readonly Printed[], state: string): number {
  const found = printed.find(({ event }) => event.type === "state" && event.state === state)?.event;
  return found?.type === "state" ? found.ms : Number.NaN;
}
