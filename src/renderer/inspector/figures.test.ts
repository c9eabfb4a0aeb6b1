import { expect, test } from "vitest";
import { lengthOf, tokensOf } from "./figures.ts";

test.each([
  [0.4, "0 ms"],
  [212.4, "212 ms"],
  [999.6, "1.0 s"],
  [4100, "4.1 s"],
  [59_949, "59.9 s"],
  [59_960, "1 min 0 s"],
  [125_000, "2 min 5 s"],
])("%d ms are said as %s", (ms, said) => {
  expect(lengthOf(ms, "en").replaceAll("\u00a0", " ")).toBe(said);
});

test.each([
  [640, "640"],
  [2512, "2.5k"],
  [8192, "8k"],
  [131_072, "128k"],
  [12_345, "12k"],
])("%d tokens are said as %s", (tokens, said) => {
  expect(tokensOf(tokens, "en")).toBe(said);
});
