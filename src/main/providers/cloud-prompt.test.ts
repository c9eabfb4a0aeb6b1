import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../shared/inference.ts";
import type { Part } from "../../shared/message.ts";
import { type PromptRules, toCloudPrompt } from "./cloud-prompt.ts";

const rules: PromptRules = { key: "own", vision: true, tools: true, thoughts: "sealed" };

const says = (role: "system" | "user" | "assistant", ...parts: (string | Part)[]): PromptMessage => ({
  role,
  parts: parts.map((part) => (typeof part === "string" ? { type: "text", text: part } : part)),
});
const call = (id: string, raw?: unknown): Part => ({
  type: "tool-call",
  id,
  name: "read_file",
  input: { path: id },
  raw,
});
const result = (callId: string, failed = false): PromptMessage => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, name: "read_file", text: `text of ${callId}`, failed }],
});
const thought = (key: string, sealed = true): Part => ({
  type: "reasoning",
  text: "I think.",
  raw: { key, thoughts: [{ text: "I think.", ...(sealed && { sealed: { anthropic: { signature: "s" } } }) }] },
});

/** A prompt as one line a message: the role, then what kind of parts it has, texts as they are. */
const drawn = (prompt: LanguageModelV4Prompt): string[] =>
  prompt.map(({ role, content }) => {
    if (typeof content === "string") return `${role}: ${content}`;
    return `${role}: ${content.map((part) => ("text" in part && part.type === "text" ? part.text : part.type)).join(" | ")}`;
  });

const rows: readonly {
  readonly name: string;
  readonly messages: readonly PromptMessage[];
  readonly rules?: Partial<PromptRules>;
  readonly is: readonly string[];
}[] = [
  {
    name: "the system's words come first, as one",
    messages: [says("system", "Be brief."), says("user", "Hi")],
    is: ["system: Be brief.", "user: Hi"],
  },
  {
    name: "an empty system prompt is not sent",
    messages: [says("system", " "), says("user", "Hi")],
    is: ["user: Hi"],
  },
  {
    name: "a text of spaces is not sent",
    messages: [says("user", "Hi", "  \n"), says("assistant", "\n\n", "Yes"), says("user", "Go")],
    is: ["user: Hi", "assistant: Yes", "user: Go"],
  },
  {
    name: "an answer without a word leaves one question of two",
    messages: [says("user", "One"), says("assistant"), says("user", "Two")],
    is: ["user: One | Two"],
  },
  {
    name: "an answer of foreign reasoning alone leaves no empty message",
    messages: [says("user", "One"), says("assistant", thought("other")), says("user", "Two")],
    is: ["user: One | Two"],
  },
  {
    name: "a history that begins with an answer gets a beginning",
    messages: [says("assistant", "Yes"), says("user", "Go")],
    is: ["user: (The beginning of this conversation was left out.)", "assistant: Yes", "user: Go"],
  },
  {
    name: "an answer at the end is asked to go on",
    messages: [says("user", "Hi"), says("assistant", "Yes, bec")],
    is: ["user: Hi", "assistant: Yes, bec", "user: Go on exactly where your answer stopped. Do not repeat any of it."],
  },
  {
    name: "two results are one message, in the order of their calls",
    messages: [says("user", "Hi"), says("assistant", call("a"), call("b")), result("a"), result("b")],
    is: ["user: Hi", "assistant: tool-call | tool-call", "tool: tool-result | tool-result"],
  },
  {
    name: "a person may speak right after a result",
    messages: [says("user", "Hi"), says("assistant", call("a")), result("a"), says("user", "Go")],
    is: ["user: Hi", "assistant: tool-call", "tool: tool-result", "user: Go"],
  },
  {
    name: "with strict roles an assistant speaks between a result and the person",
    rules: { strictRoles: true },
    messages: [says("user", "Hi"), says("assistant", call("a")), result("a"), says("user", "Go")],
    is: ["user: Hi", "assistant: tool-call", "tool: tool-result", "assistant: (No answer was given here.)", "user: Go"],
  },
  {
    name: "without tools calls and results are told in words",
    rules: { tools: false },
    messages: [says("user", "Hi"), says("assistant", call("a")), result("a")],
    is: ["user: Hi", 'assistant: (Called read_file with {"path":"a"})', "user: (Result of read_file)\ntext of a"],
  },
  {
    name: "an image is sent to a model that reads images",
    messages: [says("user", { type: "image", mediaType: "image/png", data: "AAAA", name: "a.png" })],
    is: ["user: file"],
  },
  {
    name: "an image is named to a model that reads none",
    rules: { vision: false },
    messages: [says("user", { type: "image", mediaType: "image/png", data: "AAAA", name: "a.png" })],
    is: ["user: [An image, a.png, was left out: this model reads no images.]"],
  },
  {
    name: "a model gets its own sealed reasoning back",
    messages: [says("user", "Hi"), says("assistant", thought("own"), "Yes"), says("user", "Go")],
    is: ["user: Hi", "assistant: reasoning | Yes", "user: Go"],
  },
  {
    name: "another model's reasoning is left out",
    messages: [says("user", "Hi"), says("assistant", thought("other"), "Yes"), says("user", "Go")],
    is: ["user: Hi", "assistant: Yes", "user: Go"],
  },
  {
    name: "reasoning without its seal is left out where it needs one",
    messages: [says("user", "Hi"), says("assistant", thought("own", false), "Yes"), says("user", "Go")],
    is: ["user: Hi", "assistant: Yes", "user: Go"],
  },
  {
    name: "where reasoning is not taken back, none is sent",
    rules: { thoughts: "never" },
    messages: [says("user", "Hi"), says("assistant", thought("own"), "Yes"), says("user", "Go")],
    is: ["user: Hi", "assistant: Yes", "user: Go"],
  },
  {
    name: "where calls need reasoning, a call of another model gets an empty one",
    rules: { thoughts: "with-calls" },
    messages: [says("user", "Hi"), says("assistant", thought("other"), call("a")), result("a")],
    is: ["user: Hi", "assistant: reasoning | tool-call", "tool: tool-result"],
  },
];

describe("a prompt for a vendor", () => {
  for (const row of rows) {
    test(row.name, () => {
      expect(drawn(toCloudPrompt(row.messages, { ...rules, ...row.rules }))).toEqual(row.is);
    });
  }

  test("long ids become nine letters and digits, the same for call and result, and never two alike", () => {
    const ids = Array.from({ length: 500 }, (_, at) => `00mimnzy5k3x9a:${"x".repeat(70)}:${at}`);
    const prompt = toCloudPrompt(
      [says("user", "Hi"), says("assistant", ...ids.map((id) => call(id))), ...ids.map((id) => result(id))],
      rules,
    );
    const idsOf = (role: string) =>
      prompt.flatMap((message) =>
        message.role === role && typeof message.content !== "string"
          ? message.content.flatMap((part) => ("toolCallId" in part ? [part.toolCallId] : []))
          : [],
      );
    expect(idsOf("tool")).toEqual(idsOf("assistant"));
    expect(new Set(idsOf("tool")).size).toBe(500);
    expect(idsOf("tool").every((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true);
  });

  test("a call comes back with what its own vendor gave with it, and only to that model", () => {
    const own = { key: "own", sealed: { google: { thoughtSignature: "t" } } };
    const optionsOf = (raw: unknown) => {
      const [, said] = toCloudPrompt([says("user", "Hi"), says("assistant", call("a", raw)), result("a")], rules);
      const [part] = said?.role === "assistant" ? said.content : [];
      return part && "providerOptions" in part ? part.providerOptions : undefined;
    };
    expect(optionsOf(own)).toEqual(own.sealed);
    expect(optionsOf({ ...own, key: "other" })).toBeUndefined();
    expect(optionsOf('<|tool_call|>{"name":"read_file"}')).toBeUndefined();
  });

  test("a failed result says that it failed", () => {
    const prompt = toCloudPrompt([says("user", "Hi"), says("assistant", call("a")), result("a", true)], rules);
    expect(prompt.at(-1)).toMatchObject({ role: "tool", content: [{ output: { type: "error-text" } }] });
  });
});
