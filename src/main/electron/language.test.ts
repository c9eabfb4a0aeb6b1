import { expect, test } from "vitest";
import { createSpeech } from "./language.ts";

test("the system's language is spoken until the settings name one", () => {
  const speech = createSpeech("zh-TW");
  expect(speech.say("window.quit")).toBe("退出 Lares");
  speech.follow("en");
  expect(speech.say("window.quit")).toBe("Quit Lares");
  speech.follow("system");
  expect(speech.say("window.quit")).toBe("退出 Lares");
});

test("who shows words is told when the language changes, and only then", () => {
  const speech = createSpeech("en-GB");
  let times = 0;
  speech.onChange(() => times++);
  speech.follow("system");
  speech.follow("en");
  expect(times).toBe(0);
  speech.follow("zh-CN");
  expect(times).toBe(1);
});

test("a sentence is filled where it has blanks, and a value that looks like a blank is not filled again", () => {
  const { say } = createSpeech("en");
  expect(say("window.openLink", { host: "{{url}}$&", url: "x" })).toBe("Open {{url}}$& in your browser?");
  expect(say("window.openLink")).toBe("Open {{host}} in your browser?");
});

test("errors are said in the words of the page", () => {
  expect(createSpeech("zh-CN").say("problems.disk-full")).toBe("磁盘已满");
});
