import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { tools } from "../../src/main/tools/index.ts";
import type { Tool } from "../../src/main/tools/tool.ts";
import type { ModelRequest, PromptMessage } from "../../src/shared/inference.ts";
import { textOf } from "../../src/shared/message.ts";
import type { ToolClass } from "../../src/shared/turn.ts";
import { calls, type ScriptStep, scriptedProvider } from "../support/scripted-provider.ts";
import { note, noteDurably } from "./evidence.ts";

/** The defects that a harness must find; each is planted at one place of the scene. */
export const defects = [
  "no sync", // commits are not on the disk
  "effect first", // the tool works before its intention is stored
  "runs again", // an unknown call is run again, and nobody asked for it
  "sent twice", // one message is stored as two
  "early word", // a message is acknowledged before it is stored
  "lost draft", // what waits is dropped when the turn is stopped
] as const;
export type Defect = (typeof defects)[number];

export interface SceneOptions {
  /** Where the evidence is. */
  readonly workspace: string;
  /** Between two pieces of text, ms: then streamed text is also stored by the clock. */
  readonly pauseMs?: number | undefined;
  /** So long every tool works, and hears nothing. */
  readonly slowMs?: number | undefined;
  readonly defect?: Defect | undefined;
}

const PIECE = 400;
/** More than one flush of streamed text. */
const SENTENCES = 90;

/** What is asked of the model: three tools of three classes, then a long answer. */
export const taskText = (task: string): string => `Task ${task}: look, put and pay, then tell me.`;
/** What is said while it works. */
export const followUpText = (task: string, number: number): string => `Also ${number} of ${task}.`;
export const followUpAnswer = (text: string): string => `Noted: ${text}`;

/** The whole answer: every sentence is another, so that a hole or a double shows. */
export const answerText = (task: string): string =>
  Array.from({ length: SENTENCES }, (_, index) => `Sentence ${index + 1} of the answer to ${task} is here. `).join("");

/** Another for each call that the model makes, so that two effects of one key are one call that ran twice. */
const newKey = (task: string, tool: string): string => `${tool} for ${task} ${randomUUID()}`;

const classes = { look: "read", put: "idempotent", pay: "once" } as const satisfies Record<string, ToolClass>;
export const toolNames = Object.keys(classes);
export const classOf = (tool: string): ToolClass => classes[tool as keyof typeof classes];

/** Puts the tools of the scene in the place of the real ones: the app takes its tools from that list. */
export function installTools(): void {
  const list = tools as Tool[];
  list.splice(0, list.length, ...toolNames.map(toolOf));
}

/** A tool that leaves one line of evidence, in the workspace of the app that runs it. `slow` ignores its signal. */
function toolOf(name: string): Tool {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: {
      type: "object",
      properties: { key: { type: "string" }, slowMs: { type: "number" } },
      required: ["key"],
    },
    class: classOf(name),
    exclusive: false,
    timeoutMs: 5_000,
    resultCap: 16_000,
    async run(input, { workspace }) {
      const { key, slowMs } = input as { key: string; slowMs?: number };
      const fact = { type: "effect", tool: name, key } as const;
      if (classOf(name) === "once") noteDurably(workspace, fact);
      else note(workspace, fact);
      if (slowMs !== undefined) await wait(slowMs);
      return { text: `Result of ${key}.`, summary: key };
    },
  };
}

/** A model that goes by what it is shown, so that it can go on wherever a crash left the conversation. */
export function sceneModel(options: SceneOptions) {
  return scriptedProvider([], {
    info: { window: 65_536, maxOutputTokens: 8192 },
    afterwards: [(request: ModelRequest) => reply(request, options)],
  });
}

function reply(request: ModelRequest, options: SceneOptions): readonly ScriptStep[] {
  const spoken = request.messages.filter(({ role }) => role !== "system");
  const start = spoken.findLastIndex(({ role, parts }) => role === "user" && taskIn(parts) !== undefined);
  const task = taskIn(spoken[start]?.parts ?? []);
  if (task === undefined) return says(followUpAnswer(lastSaid(spoken)));
  const since = spoken.slice(start + 1);
  const results = since.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool-result")).length;
  if (results < 2 && request.toolChoice === "auto") return call(task, ["look", "put"], options);
  if (results < 3 && request.toolChoice === "auto") return call(task, ["pay"], options);
  const said = since.filter(({ role }) => role === "assistant").map(({ parts }) => textOf(parts));
  if (said.some((text) => text.trim() === answerText(task).trim())) return says(followUpAnswer(lastSaid(spoken)));
  return tell(task, halfOf(since.at(-1)), options);
}

/** Stop and finish after a text. */
const says = (text: string): readonly ScriptStep[] => [
  { type: "text", text },
  { type: "finish", reason: "stop" },
];

const taskIn = (parts: PromptMessage["parts"]): string | undefined => /Task (\S+):/.exec(textOf(parts))?.[1];

/** Neighbouring messages are one in a prompt, and Lares' own words stand before them. */
const lastSaid = (messages: readonly PromptMessage[]): string =>
  textOf(messages.findLast(({ role }) => role === "user")?.parts ?? [])
    .split("\n\n")
    .at(-1) ?? "";

/** The beginning of the answer, when the prompt ends in it. */
const halfOf = (last: PromptMessage | undefined): string => (last?.role === "assistant" ? textOf(last.parts) : "");

function call(task: string, names: readonly string[], { workspace, slowMs, defect }: SceneOptions) {
  const input = (name: string) => ({ key: newKey(task, name), ...(slowMs !== undefined && { slowMs }) });
  const wanted = names.map((name) => ({ name, input: input(name) }));
  const early = () => {
    if (defect !== "effect first") return undefined;
    for (const { name, input } of wanted) noteDurably(workspace, { type: "effect", tool: name, key: input.key });
    return undefined;
  };
  return [early, ...calls(...wanted)];
}

function tell(task: string, half: string, { workspace, pauseMs = 0 }: SceneOptions): readonly ScriptStep[] {
  const answer = answerText(task);
  const pieces: ScriptStep[] = [];
  for (let from = half.length; from < answer.length; from += PIECE) {
    const text = answer.slice(from, from + PIECE);
    const produced = () => {
      note(workspace, { type: "produced", task, characters: from + text.length });
      return undefined;
    };
    if (pauseMs > 0) pieces.push({ wait: pauseMs });
    pieces.push(produced, { type: "text", text });
  }
  return [...pieces, { type: "finish", reason: "stop" }];
}
