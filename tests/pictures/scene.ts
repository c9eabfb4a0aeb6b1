import type { App } from "../../src/main/app.ts";
import type { Language } from "../../src/shared/words/index.ts";
import { calls, type ScriptStep, says } from "../support/scripted-provider.ts";

/** A document that a person might have, and that the model reads in the pictures. */
export const lease = {
  file: "lease-2024.txt",
  text: [
    "LEASE AGREEMENT, 12 March 2024",
    "§ 2 Term. The lease begins on 1 September 2024 and ends on 31 August 2027.",
    "§ 9 Termination. Notice must be given in writing three months before the end of the term.",
    "If no notice is given, the lease is extended by one year.",
  ].join("\n"),
};

export const question: Record<Language, string> = {
  en: "When does this lease end, and how much notice do I have to give?",
  "zh-CN": "这份租约什么时候到期？我需要提前多久通知？",
};

const answers: Record<Language, string> = {
  en: [
    "The lease ends on **31 August 2027**. You have to give notice **three months before**, in writing, so by **31 May 2027** at the latest.",
    "If you say nothing, it goes on for one more year.",
    "| What | When | Section |\n|---|---|---|\n| End of term | 31 August 2027 | § 2 |\n| Last day for notice | 31 May 2027 | § 9 |",
  ].join("\n\n"),
  "zh-CN": [
    "租约于 **2027 年 8 月 31 日** 到期。您须提前 **三个月** 以书面形式通知，也就是最迟在 **2027 年 5 月 31 日**。",
    "如果没有通知，租约将自动延长一年。",
    "| 事项 | 时间 | 条款 |\n|---|---|---|\n| 租期结束 | 2027 年 8 月 31 日 | § 2 |\n| 最晚通知日 | 2027 年 5 月 31 日 | § 9 |",
  ].join("\n\n"),
};

const usage = (inputTokens: number, reusedTokens: number, outputTokens: number): ScriptStep => ({
  type: "usage",
  usage: { inputTokens, reusedTokens, outputTokens, firstTokenMs: 96, decodeMs: outputTokens * 26 },
});

/** The model's side of the other chats, and then of the conversation that is shown. */
export function leaseScript(language: Language): ScriptStep[][] {
  const reading = calls({ name: "read_file", input: { path: lease.file } }, { name: "current_time", input: {} });
  const [finish] = reading.slice(-1);
  return [
    ...otherQuestions[language].map((): ScriptStep[] => [...says("…")]),
    [
      { type: "reasoning", text: "The file says it: I read it first." },
      { wait: 120 },
      ...reading.slice(0, -1),
      usage(2010, 1904, 48),
      ...(finish ? [finish] : []),
    ],
    [
      { wait: 96 },
      { type: "text", text: answers[language] },
      usage(2512, 2010, 143),
      { type: "finish", reason: "stop" },
    ],
  ];
}

export const otherQuestions: Record<Language, readonly string[]> = {
  en: ["Thank-you letter to Dr Lin", "Compare two insurance offers", "Weekend reading plan", "Packing list for Lisbon"],
  "zh-CN": ["给林医生的感谢信", "比较两份保险方案", "周末阅读计划", "里斯本行李清单"],
};

/** The chats that stand in the list. */
export async function otherChats(app: App, language: Language): Promise<void> {
  for (const [index, text] of otherQuestions[language].entries()) {
    app.bus.ask({ id: `m${index}`, channel: "window", sessionId: `chat-${index}`, text });
    await app.idle();
  }
}

/** What is typed into the search. */
export const searched: Record<Language, string> = { en: "letter", "zh-CN": "保险" };
