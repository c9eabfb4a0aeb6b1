import { describe, expect, test } from "vitest";
import { anAgent } from "../../../tests/support/agent.ts";
import { aModel, failure, models, noticesOf } from "../../../tests/support/fallbacks.ts";
import { says, scriptedProvider } from "../../../tests/support/scripted-provider.ts";
import { createBreakers } from "../providers/breaker.ts";

describe("a model that fails again and again", () => {
  /** A clock that the test moves. */
  function aClock() {
    let ms = 0;
    const pass = (more: number): void => {
      ms += more;
    };
    return { breakers: createBreakers(() => ms), pass };
  }

  test("is not asked for a minute while another one answers, then once, and then as before", async () => {
    const { breakers, pass } = aClock();
    const own = aModel("Own", Array(4).fill(failure("quota")));
    const spare = scriptedProvider([], { info: { name: "Spare", key: "spare" }, afterwards: says("Paris.") });
    const agent = anAgent({ models: models(own, { spare }), breakers });
    const asked = async () => {
      await agent.say("go");
      return own.requests.length;
    };
    expect([await asked(), await asked(), await asked()]).toEqual([1, 2, 3]);
    expect(await asked()).toBe(3);
    expect(noticesOf(agent).at(-1)?.[1]).toMatch(/^Answered by Spare, because Own: It failed again and again/);
    pass(60_000);
    expect([await asked(), await asked()]).toEqual([4, 4]);
    pass(60_000);
    own.reply(...says("I am back."));
    expect((await agent.say("go")).text).toBe("I am back.");
    own.reply(...failure("quota"));
    own.reply(...failure("quota"));
    own.reply(...says("Again."));
    const texts = [await agent.say("go"), await agent.say("go"), await agent.say("go")].map(({ text }) => text);
    expect(texts).toEqual(["Paris.", "Paris.", "Again."]);
  });

  test("is asked all the same where there is no other", async () => {
    const { breakers } = aClock();
    const own = aModel("Own", [...Array(4).fill(failure("quota")), says("I am back.")]);
    const agent = anAgent({ models: models(own, {}), breakers });
    for (let n = 0; n < 3; n++) await agent.say("go");
    expect((await agent.say("go")).error?.message).toBe("It is quota.");
    expect((await agent.say("go")).text).toBe("I am back.");
  });

  test("is left alone as another one's help, too", async () => {
    const { breakers } = aClock();
    const own = scriptedProvider([], { info: { name: "Own", key: "own" }, afterwards: failure("quota") });
    const spare = aModel("Spare", []);
    const agent = anAgent({ models: models(own, { spare }), breakers });
    for (let n = 0; n < 3; n++) breakers.failed("Spare");
    expect((await agent.say("go")).error?.message).toMatch(/^No model could answer\. Own: .* spare: It failed again/);
    expect(spare.requests).toEqual([]);
  });

  test("a question that it could not read says nothing about it", async () => {
    const { breakers } = aClock();
    const own = aModel("Own", Array(5).fill(failure("request-refused")));
    const agent = anAgent({ models: models(own, { spare: aModel("Spare", []) }), breakers });
    for (let n = 0; n < 5; n++) await agent.say("go");
    expect(own.requests).toHaveLength(5);
  });
});
