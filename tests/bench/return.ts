import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../src/main/app.ts";
import { textOf } from "../../src/shared/message.ts";
import { starterModel } from "../support/starter.ts";
import { figure, type Group, machineMs, ratio } from "./figure.ts";
import { askApp, sentences, usageOf } from "./real-app.ts";

const sessionId = "return";
/** With the system prompt about 4,000 tokens. */
const SENTENCES = 240;

/**
 * A person comes back to a long chat after a restart of the app: with what the model had read, and, over a copy of the
 * same data without it, by reading all again.
 */
export const back: Group = {
  name: "return",
  async measure() {
    const folder = mkdtempSync(join(tmpdir(), "lares-bench-return-"));
    const [data, other] = [join(folder, "data"), join(folder, "other")];
    try {
      const first = await askIn(data, `${sentences(SENTENCES, 1)}\n\nWhat colour is the lamp?`);
      cpSync(data, other, { recursive: true });
      rmSync(join(other, "state"), { recursive: true });
      const question = "What is the capital of Italy?";
      const returned = await askIn(data, question);
      const read = await askIn(other, question);
      const kept = first.usage.inputTokens + first.usage.outputTokens;
      const brought = returned.usage.inputTokens - kept;
      const evaluated = returned.usage.inputTokens - returned.usage.reusedTokens;
      const msOf = ({ usage }: typeof read) => usage.firstTokenMs;
      return [
        figure("return after a restart: context", returned.usage.inputTokens, "tokens"),
        figure("return after a restart: tokens evaluated beyond the new ones", evaluated - brought, "tokens", {
          atMost: 16,
        }),
        figure("reading the chat again ÷ return, to the first token", msOf(read) / msOf(returned), ratio, {
          atLeast: 20,
        }),
        figure("return after a restart, to the first token", msOf(returned), machineMs),
        figure("the same answer as after reading it again", Number(returned.text === read.text), "1 = yes", {
          atLeast: 1,
        }),
      ];
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

/** One question to an app that is started for it and closed afterwards. */
async function askIn(dataFolder: string, text: string) {
  const app = await createApp({ dataFolder, chosen: await starterModel() });
  try {
    const asked = await askApp(app, text, { sessionId });
    const answer = app.store.page(sessionId, { limit: 1 }).at(-1);
    return { usage: usageOf(asked), text: answer ? textOf(answer.parts) : "" };
  } finally {
    await app.close();
  }
}
