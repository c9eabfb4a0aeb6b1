import { expect, test } from "vitest";
import { anAgent } from "../../../tests/support/agent.ts";
import { says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";

test("what a person should know of how the model runs is told in the turn that opened it, and kept with it", async () => {
  const text = "The memory is short: the model sees 2048 tokens.";
  const agent = anAgent({ model: scriptedProvider([says("Hello")], { info: { notices: [text] } }) });
  const { turnId } = await agent.say("Hi");
  const notice = { code: "info", text };
  expect(agent.events).toContainEqual({ type: "notice", sessionId: "s", turnId, ...notice });
  expect(agent.wholeStore.turnViews("s", { limit: 10 }).map(({ notices }) => notices)).toEqual([[notice]]);
});
