import { newId } from "../../src/main/lib/clock.ts";
import { figure, type Group } from "./figure.ts";
import { sentences, usageOf, withRealApp } from "./real-app.ts";

/** A second question must not make the model read the first one again: with 2,000 tokens that would be ten seconds. */
export const prefix: Group = {
  name: "prefix",
  measure: () =>
    withRealApp(async ({ ask }) => {
      const sessionId = newId();
      const first = usageOf(await ask(`${sentences(120, 1)}\n\nWhat colour is the lamp?`, { sessionId }));
      const second = usageOf(await ask("What is the capital of Italy?", { sessionId }));
      const brought = second.inputTokens - first.inputTokens - first.outputTokens;
      const evaluated = second.inputTokens - second.reusedTokens;
      return [
        figure("context of the second turn", second.inputTokens, "tokens"),
        figure("tokens evaluated beyond the new ones", evaluated - brought, "tokens", { atMost: 64 }),
      ];
    }),
};
