import fc from "fast-check";
import { expect, test } from "vitest";
import { anAgent } from "../../../tests/support/agent.ts";
import { says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { textOf } from "../../shared/message.ts";
import { createStore } from "../db/store.ts";
import { createRowCache } from "./row-cache.ts";

/** One thing that happens in a chat: something new is said, or a turn (chosen by number) is asked again or shown. */
const happening = fc.record({ what: fc.constantFrom("say", "ask again", "show"), which: fc.nat(30) });

test("whatever was asked again and shown, the model reads the shown branch and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 3, maxLength: 14 }), async (happenings) => {
      const chat = aChat();
      for (const { what, which } of happenings) {
        const chosen = chat.turns[which % chat.turns.length];
        if (what === "show" && chosen) chat.show(chosen);
        else expect(await chat.ask(what === "ask again" ? chosen : undefined)).toEqual(chat.shown());
      }
    }),
    { numRuns: 60 },
  );
});

function aChat() {
  const store = createStore(":memory:");
  const rows = createRowCache(store);
  const model = scriptedProvider([], { afterwards: says("noted") });
  const { loop } = anAgent({ model, store, rows });
  const turns: string[] = [];
  let asked = 0;
  return {
    turns,
    /** Returns the questions that the model read. */
    async ask(replaces: string | undefined): Promise<(string | undefined)[]> {
      const message = { id: `m${++asked}`, channel: "test", sessionId: "s", text: `question ${asked}` };
      loop.accept(replaces === undefined ? message : { ...message, replaces });
      await loop.idle();
      turns.push(store.turnViews("s", { limit: 1 })[0]?.turn.id ?? "");
      const read = model.requests.at(-1)?.messages.filter(({ role }) => role === "user") ?? [];
      return read.map(({ parts }) => /question \d+/.exec(textOf(parts))?.[0]);
    },
    show(turnId: string): void {
      store.showTurn(turnId);
      rows.forget("s");
    },
    shown: () => store.turnViews("s", { limit: 100 }).map(({ inbound }) => inbound.text),
  };
}

test("a chat that runs says so until its turn is over, and settles then", async () => {
  const agent = anAgent({ script: [[{ type: "text", text: "half" }, { wait: 5_000 }]] });
  agent.onEvent((event) => {
    if (event.type !== "delta") return;
    expect(agent.loop.isRunning("s")).toBe(true);
    expect(agent.loop.isRunning("other")).toBe(false);
    agent.loop.stop("s");
  });
  const saying = agent.say("go");
  await agent.loop.settled("s");
  expect(agent.loop.isRunning("s")).toBe(false);
  expect((await saying).stopReason).toBe("aborted");
  await agent.loop.settled("s"); // nothing runs: at once
});
