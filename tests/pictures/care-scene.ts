import type { Store } from "../../src/main/db/store.ts";
import type { ToolCallRecord } from "../../src/shared/turn.ts";
import type { Language } from "../../src/shared/words/index.ts";
import { calls, type ScriptStep } from "../support/scripted-provider.ts";

interface Said {
  readonly capital: string;
  readonly paris: string;
  readonly write: string;
  readonly tell: string;
  readonly half: string;
  readonly goal: string;
  readonly deposit: string;
  readonly translate: string;
  readonly begun: string;
  readonly done: string;
}

export const said: Record<Language, Said> = {
  en: {
    capital: "How long is the notice period?",
    paris: "Three months, in writing, before the end of the term (§ 9).",
    write: "Send the notice letter to the landlord.",
    tell: "Summarise the lease for Dr Lin.",
    half: "The lease runs for three years, from 1 September 2024 to 31 August 2027. If nobody gives notice, it",
    goal: "Prepare everything for moving out",
    deposit: "Also check the deposit",
    translate: "And then translate it into French",
    begun: "I read the lease first, then I make a list of what is to be done and by when.",
    done: "Notice is due by **31 May 2027**. The deposit is not mentioned in this file.",
  },
  "zh-CN": {
    capital: "通知期有多长？",
    paris: "在租期结束前三个月以书面形式通知（第 9 条）。",
    write: "把通知信寄给房东。",
    tell: "为林医生概括这份租约。",
    half: "租约为期三年，自 2024 年 9 月 1 日至 2027 年 8 月 31 日。如果没有人通知，租约将",
    goal: "准备好搬家的一切",
    deposit: "也看看押金",
    translate: "然后翻译成法语",
    begun: "我先读租约，然后列出要做的事和期限。",
    done: "最迟须在 **2027 年 5 月 31 日** 前通知。此文件没有提到押金。",
  },
};

/** A chat as a kill -9 left it, with one turn for each of the three cards. */
export function leftByCrash(store: Store, language: Language): void {
  const { capital, paris, write, tell, half } = said[language];
  const sessionId = "left";
  const start = Date.now() - 240_000;
  store.openSession(sessionId, start);

  function begin(turnId: string, text: string) {
    const row = { sessionId, turnId, createdAt: start } as const;
    store.accept({ id: `m-${turnId}`, sessionId, channel: "window", text, createdAt: start });
    store.beginTurn({ id: turnId, sessionId, inboundId: `m-${turnId}`, startedAt: start });
    store.append({ ...row, role: "user", status: "complete", parts: [{ type: "text", text }] });
    for (const [state, next] of [
      ["restore", "compact"],
      ["compact", "command"],
      ["command", "build"],
      ["build", "run"],
    ] as const) {
      store.advance({ turnId, state, outcome: "ok", startedAt: start, ms: 1 }, next);
    }
    store.setPhase(turnId, "awaiting_model", 1);
    return row;
  }

  function asks(
    row: ReturnType<typeof begin>,
    list: (Pick<ToolCallRecord, "name" | "class" | "state"> & { input: unknown })[],
  ) {
    const { turnId } = row;
    const parts = list.map(({ name, input }) => ({ type: "tool-call", id: name, name, input }) as const);
    const { id: messageId } = store.append({ ...row, role: "assistant", status: "complete", parts });
    for (const { input, ...call } of list) {
      const begun = call.state !== "requested" && { startedAt: start + 1_000 };
      const ended = call.state === "finished" && { endedAt: start + 1_038, summary: "4 lines" };
      store.insertCall({ ...call, id: call.name, turnId, messageId, ...begun, ...ended });
      if (!ended) continue;
      const result = { type: "tool-result", callId: call.name, name: call.name, text: "…", failed: false } as const;
      store.append({ ...row, role: "tool", status: "complete", parts: [result] });
    }
    store.setPhase(turnId, "awaiting_tools", 1);
  }

  const whole = begin("whole", capital);
  store.append({ ...whole, role: "assistant", status: "complete", parts: [{ type: "text", text: paris }] });
  store.setPhase("whole", "final_response", 1);

  asks(begin("sending", write), [
    { name: "read_file", class: "read", state: "finished", input: { path: "notice.txt" } },
    { name: "send_mail", class: "once", state: "running", input: { to: "landlord@example.org" } },
    { name: "write_file", class: "idempotent", state: "requested", input: { path: "sent.txt" } },
  ]);

  const writing = begin("writing", tell);
  asks(writing, [{ name: "read_file", class: "read", state: "finished", input: { path: "lease-2024.txt" } }]);
  const { id } = store.append({ ...writing, role: "assistant", status: "streaming", parts: [] });
  store.appendChunk(id, "text", half);
}

/** A model that is long at work, so that what is said meanwhile waits. */
export const busyScript = (language: Language): ScriptStep[][] => [
  [{ type: "text", text: said[language].begun }, { wait: 600_000 }],
];

/** A model that reads a file, is told something more meanwhile, and answers both. */
export const joinedScript = (language: Language): ScriptStep[][] => [
  [
    { type: "text", text: said[language].begun },
    { wait: 1_500 },
    ...calls({ name: "read_file", input: { path: "lease-2024.txt" } }, { name: "current_time", input: {} }),
  ],
  [{ type: "text", text: said[language].done }, { wait: 300 }, { type: "finish", reason: "stop" }],
];
