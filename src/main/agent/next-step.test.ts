import { describe, expect, test } from "vitest";
import type { FinishReason } from "../../shared/inference.ts";
import { type Counts, nextStep, type Seen } from "./next-step.ts";

const none: Counts = { blanks: 0, lengths: 0, malformed: 0 };
const words: Seen = { finish: "stop", blank: false, blankPart: false, usable: 0, unusable: 0, plain: false };
const calling: Seen = { ...words, finish: "tool_calls", blank: true, blankPart: true, usable: 1 };
const badCall: Seen = { ...calling, usable: 0, unusable: 1 };
const blank: Seen = { ...words, blank: true, blankPart: true };
const cut: Seen = { ...words, finish: "length" };

describe("the branch table of the runner", () => {
  test.each<[string, Seen, Partial<Counts>, object]>([
    ["an answer in words is the end", words, {}, { do: "end", stopReason: "completed", whole: true }],
    ["calls are run", calling, {}, { do: "run-tools" }],
    ["calls with a finish of stop are run", { ...calling, finish: "stop" }, {}, { do: "run-tools" }],
    ["calls with the old finish name are run", { ...calling, finish: "function_call" }, {}, { do: "run-tools" }],
    ["one good call among bad ones is run", { ...calling, unusable: 2 }, {}, { do: "run-tools" }],
    ["only bad calls are corrected once", badCall, {}, { do: "correct" }],
    ["and then asked for words", badCall, { malformed: 1 }, { do: "ask-plain" }],
    [
      "calls where tools were forbidden are not run",
      { ...calling, plain: true },
      { blanks: 2 },
      { do: "end", stopReason: "empty", whole: true },
    ],
    ["a blank answer is asked for again", blank, {}, { do: "ask-again" }],
    ["then for words", blank, { blanks: 1 }, { do: "ask-plain" }],
    ["then it is said to be empty", blank, { blanks: 2 }, { do: "end", stopReason: "empty", whole: true }],
    ["a cut answer goes on", cut, {}, { do: "continue" }],
    ["three times", cut, { lengths: 2 }, { do: "continue" }],
    ["and no more", cut, { lengths: 3 }, { do: "end", stopReason: "completed", whole: false }],
    ["a blank part is not a continuation", { ...blank, finish: "length" }, {}, { do: "ask-again" }],
    [
      "a continuation that adds nothing is the last one",
      { ...cut, blankPart: true },
      { lengths: 1 },
      { do: "end", stopReason: "completed", whole: false },
    ],
    ["a refusal is final", { ...words, finish: "refusal" }, {}, { do: "end", stopReason: "completed", whole: true }],
    [
      "a content filter is final, also when blank",
      { ...blank, finish: "content_filter" },
      {},
      { do: "end", stopReason: "completed", whole: true },
    ],
  ])("%s", (_name, seen, counts, expected) => {
    expect(nextStep(seen, { ...none, ...counts })).toEqual(expected);
  });

  test.each<FinishReason>(["length", "refusal", "content_filter", "error", "aborted"])(
    "calls under the finish %s are never run",
    (finish) => expect(nextStep({ ...calling, finish }, none).do).not.toBe("run-tools"),
  );
});
