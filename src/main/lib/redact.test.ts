import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { looksLikeKey } from "../../shared/keys.ts";
import { REMOVED, redact } from "./redact.ts";

interface Case {
  readonly id: string;
  readonly kind: string;
  readonly what: string;
  readonly input: string;
  readonly expected: string | boolean;
}
const cases: readonly Case[] = JSON.parse(readFileSync("tests/hostile/keys.json", "utf8"));
const of = (kind: string) => cases.filter((one) => one.kind === kind);

test("the file of hostile keys has cases of both kinds", () => {
  expect(of("redact").length).toBeGreaterThanOrEqual(19);
  expect(of("looks").length).toBeGreaterThanOrEqual(14);
});

test.each(of("redact"))("$id what looks like a key is removed, and nothing else: $what", ({ input, expected }) => {
  expect(redact(input)).toBe(expected);
  expect(redact(redact(input))).toBe(expected);
});

test.each(of("looks"))("$id a message is known for a key, or for none: $what", ({ input, expected }) => {
  expect(looksLikeKey(input)).toBe(expected);
});

describe("a secret that looks like nothing", () => {
  const secret = 'pass+word/"9Zq&ü';
  const written: Record<string, string> = {
    "as it is": secret,
    "in a URL": encodeURIComponent(secret),
    "in JSON": JSON.stringify({ key: secret }),
    "in JSON in JSON": JSON.stringify(JSON.stringify({ key: secret })),
    "in base64 with nothing before it": Buffer.from(`${secret}zz`).toString("base64"),
    "in base64 with one letter before it": Buffer.from(`a${secret}zz`).toString("base64"),
    "in base64 with two letters before it": Buffer.from(`ab${secret}zz`).toString("base64"),
    "in base64 for a URL": Buffer.from(`u:${secret}`).toString("base64url"),
    "in a header of basic authentication": `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`,
  };

  test.each(Object.entries(written))("is removed %s", (_what, text) => {
    const clean = redact(`before ${text} after`, [secret]);
    expect(clean).toContain(REMOVED);
    expect(clean).toMatch(/^before .* after$/);
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
      expect(clean).not.toContain(form);
    expect(decodings(clean).some((text) => text.includes(secret))).toBe(false);
  });

  test("goes as a whole where another secret is a part of it", () => {
    expect(redact("a long-secret-value b", ["secret-value", "long-secret-value"])).toBe(`a ${REMOVED} b`);
  });

  test("stays where it is so short that it is a common word", () => {
    expect(redact("none of the words", ["none"])).toBe("none of the words");
  });
});

/** What the base64 of a text says, at each place where it may begin. */
const decodings = (text: string): string[] =>
  (text.match(/[\w+/=-]{4,}/g) ?? []).flatMap((run) =>
    [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), "base64").toString()),
  );

test.each([
  "sk-",
  "eyJaaaaaaaa-",
  "eyJaaaaaaaa.",
  "-----BEGIN PRIVATE KEY-----",
  "-----BEGIN A ",
  "bearer ",
  "api_key: ",
])(
  "a megabyte that is made to be slow ends: %s", // with a pattern that is not linear, in an hour
  (piece) => {
    expect(redact(piece.repeat(1_000_000 / piece.length), ["canary-secret"])).not.toContain("canary");
  },
);
