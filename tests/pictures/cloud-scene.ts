import type { Page } from "playwright-core";
import type { App } from "../../src/main/app.ts";
import type { Store } from "../../src/main/db/store.ts";
import type { LedgerRow, Trip } from "../../src/shared/network.ts";
import type { Catalogue, Language } from "../../src/shared/words/index.ts";
import { aPage } from "../support/page.ts";
import { lease, question } from "./scene.ts";

interface Said {
  readonly local: string;
  readonly draft: string;
  readonly letter: string;
}

const said: Record<Language, Said> = {
  en: {
    local: "The lease ends on **31 August 2027**; notice is due by **31 May 2027** (§ 9).",
    draft: "Draft the notice in plain words.",
    letter:
      "Dear landlord,\n\nI give notice that I will not extend the lease. It ends on 31 August 2027. Please tell me when we can meet to hand over the keys.",
  },
  "zh-CN": {
    local: "租约于 **2027 年 8 月 31 日** 到期；最迟须在 **2027 年 5 月 31 日** 前通知（第 9 条）。",
    draft: "用平实的语言起草通知。",
    letter: "尊敬的房东：\n\n特此通知，我不再续租。租约于 2027 年 8 月 31 日到期。请告知何时可以见面交还钥匙。",
  },
};

const chatId = "left-cloud";
const body = (text: string) =>
  JSON.stringify({
    model: "claude-sonnet-4-5",
    max_tokens: 4096,
    system: [{ type: "text", text: "You are Lares, a private assistant." }],
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    stream: true,
  });

/** A chat that was answered here first and in the cloud then, and a ledger with one line of each kind. */
export function wentOut(store: Store, language: Language): void {
  const { local, draft, letter } = said[language];
  const start = Date.now() - 600_000;
  store.openSession(chatId, start);
  const at = (minutes: number) => start + minutes * 60_000;
  const sent = body(draft);
  const trip: Trip = {
    ...{ ledgerId: 3, host: "api.anthropic.com", place: "cloud", bodyOut: sent.length, bodyIn: 1_820 },
    cargo: { messages: 3, documents: 1 },
  };
  answered(store, { turnId: "here", text: question[language], answer: local, at: start });
  const rows: (Partial<LedgerRow> & Pick<LedgerRow, "purpose" | "host" | "outcome">)[] = [
    { purpose: "download", host: "huggingface.co", address: "18.164.174.23", bodyIn: 98_600_000, outcome: "done" },
    { purpose: "key-test", host: "api.anthropic.com", address: "160.79.104.10", bodyIn: 2_410, outcome: "done" },
    {
      ...{ purpose: "answer", host: "api.anthropic.com", address: "160.79.104.10", outcome: "done", chatId },
      ...{ turnId: "out", model: "claude-sonnet-4-5", bodyOut: sent.length, bodyIn: 1_820 },
    },
    { purpose: "answer", host: "10.0.0.7", port: 11434, place: "local-network", outcome: "failed", error: "timeout" },
    { purpose: "model-list", host: "api.mistral.ai", outcome: "refused", error: "local-mode" },
  ];
  for (const [index, { bodyOut = 0, bodyIn = 0, outcome, error, ...row }] of rows.entries()) {
    const id = store.openLedgerRow({ port: 443, place: "cloud", at: at(index), outcome: "open", ...row });
    const status = outcome === "done" ? { status: 200 } : {};
    const ended = { outcome, bodyOut, bodyIn, endedAt: at(index) + 900, ...status, ...(error && { error }) };
    store.closeLedgerRow(id, ended);
  }
  answered(store, { turnId: "out", text: draft, answer: letter, at: at(2), sent, trip });
}

interface Answered {
  readonly turnId: string;
  readonly text: string;
  readonly answer: string;
  readonly at: number;
  readonly sent?: string;
  readonly trip?: Trip;
}

function answered(store: Store, { turnId, text, answer, at, sent, trip }: Answered): void {
  const row = { sessionId: chatId, turnId, createdAt: at } as const;
  store.accept({ id: `m-${turnId}`, sessionId: chatId, channel: "window", text, createdAt: at });
  store.beginTurn({ id: turnId, sessionId: chatId, inboundId: `m-${turnId}`, startedAt: at });
  store.append({ ...row, role: "user", status: "complete", parts: [{ type: "text", text }] });
  if (!trip) readLease(store, row, at);
  store.append({ ...row, role: "assistant", status: "complete", parts: [{ type: "text", text: answer }] });
  const name = trip ? "Claude" : "Qwen 4B";
  const usage = { inputTokens: 900, reusedTokens: 0, outputTokens: 64, firstTokenMs: 300, decodeMs: 1_700 };
  store.insertRequest({
    ...{ turnId, number: 1, startedAt: at, messages: 4, tools: 3, ms: 2_000, finish: "stop", usage },
    model: { name, local: !trip, window: trip ? 200_000 : 8_192 },
    ...(trip && { trip }),
  });
  if (sent !== undefined) store.keepSent(turnId, 1, sent);
  const states = ["restore", "compact", "command", "build", "run", "save", "respond", "done"] as const;
  for (const [index, state] of states.slice(0, -1).entries()) {
    const ms = state === "run" ? 2_000 : 1;
    store.advance({ turnId, state, outcome: "ok", startedAt: at, ms }, states[index + 1] ?? "done");
  }
  store.endTurn(turnId, { stopReason: "completed", endedAt: at + 2_010, usage });
}

function readLease(
  store: Store,
  row: Pick<Parameters<Store["append"]>[0], "sessionId" | "turnId" | "createdAt">,
  at: number,
) {
  const call = { id: `${row.turnId}-read`, name: "read_file" };
  const part = { type: "tool-call", ...call, input: { path: lease.file } } as const;
  const { id: messageId } = store.append({ ...row, role: "assistant", status: "complete", parts: [part] });
  const times = { startedAt: at, endedAt: at + 12 };
  store.insertCall({
    ...call,
    turnId: row.turnId,
    messageId,
    class: "read",
    state: "finished",
    summary: "4 lines",
    ...times,
  });
  const result = { type: "tool-result", callId: call.id, name: call.name, text: lease.text, failed: false } as const;
  store.append({ ...row, role: "tool", status: "complete", parts: [result] });
}

/** Two connections with their models: an account, and a program on this computer. */
export async function twoConnections(app: App): Promise<void> {
  const page = aPage(app.desk);
  const far = await page.call("cloud.connect", {
    vendor: "anthropic",
    name: "Anthropic",
    key: "sk-ant-not-a-key-000000",
  });
  const near = await page.call("cloud.connect", {
    ...{ vendor: "custom", name: "Ollama", baseUrl: "http://127.0.0.1:11434/v1" },
  });
  const figures = { window: 200_000, maxOutputTokens: 8192, vision: true, tools: true };
  await page.call("cloud.savePreset", {
    preset: { ...figures, name: "Claude", connectionId: far.id, model: "claude-sonnet-4-5" },
  });
  await page.call("cloud.savePreset", {
    preset: { ...figures, name: "Qwen 3 at home", connectionId: near.id, model: "qwen3:8b" },
  });
  page.close();
}

/** Says something to a cloud model for the first time, and is asked. */
export async function consent(page: Page, words: Catalogue, language: Language): Promise<void> {
  await page.getByText(said[language].draft).first().waitFor();
  await page.getByRole("button", { name: words.cloud.pick }).click();
  await page.getByRole("menuitemradio", { name: "Claude" }).click();
  await page.getByRole("button", { name: words.cloud.turnOff }).click();
  await page.locator("#composer").fill(said[language].draft);
  await page.locator("#composer").press("Enter");
  await page.getByRole("region", { name: words.cloud.leavesTitle }).waitFor();
}

/** The ledger beside a conversation that was answered here and there. */
export async function ledger(page: Page, words: Catalogue, language: Language): Promise<void> {
  await page.getByText(said[language].draft).first().waitFor();
  await palette(page, words.app.commandNetwork);
  await page.getByRole("list", { name: words.network.rows }).waitFor();
}

export async function cloudDialog(page: Page, words: Catalogue): Promise<void> {
  await palette(page, words.app.commandCloud);
  await page.getByRole("article", { name: "Ollama" }).waitFor();
}

async function palette(page: Page, command: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.keyboard.type(command);
  await page.keyboard.press("Enter");
}
