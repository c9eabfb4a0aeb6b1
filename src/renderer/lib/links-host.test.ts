import { expect, test } from "vitest";
import { classifyLink } from "../../shared/links.ts";
import { besideLink } from "./links-host.ts";

const beside = (text: string, address: string) => {
  const link = classifyLink(address);
  return link.kind === "open" ? besideLink(text, link) : "refused";
};

test.each([
  ["https://a.test/x", "https://a.test/x", "nothing"],
  ["a.test", "https://a.test/", "nothing"],
  ["www.a.test", "https://a.test", "nothing"],
  ["me@a.test", "mailto:me@a.test", "nothing"],
  ["the docs", "https://a.test/x", "host"],
  ["see a.test for more", "https://a.test/x", "host"],
  ["https://bank.test", "https://evil.test", "warning"],
  ["bank.test/login", "https://evil.test/bank.test/login", "warning"],
  ["Go to (bank.test)", "https://evil.test", "warning"],
  ["银行.中国", "https://evil.test", "warning"],
  ["https://bank.test.evil.test", "https://evil.test", "warning"],
])("beside the link %j to %j stands: %s", (text, address, expected) => {
  expect(beside(text, address)).toBe(expected);
});
