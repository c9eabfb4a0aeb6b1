import type { TurnEvent } from "../../shared/events.ts";
import type { Goal } from "../../shared/goal.ts";
import { textOf } from "../../shared/message.ts";
import type { RetryWait } from "../../shared/network.ts";
import type { TraceEntry } from "../../shared/turn.ts";
import { problems } from "../../shared/words/problems.ts";
import { harmless } from "./harmless.ts";

/** Where a terminal's words go. `live`: the line can be written over (a person is looking). */
export interface Output {
  /** The answer, or with --json the events. */
  out(text: string): void;
  /** Progress, trace and errors. */
  aside(text: string): void;
  readonly live: boolean;
}

export interface TerminalOptions {
  readonly output: Output;
  readonly json: boolean;
  /** Says each step of the turn on the side. */
  readonly trace: boolean;
}

export type Ended = Extract<TurnEvent, { type: "turn.ended" }>;

/** Shows one turn after the other: the answer as it streams, everything else aside. */
export function createTerminalView({ output, json, trace }: TerminalOptions) {
  const status = createStatusLine(output);
  const steps: TraceEntry[] = [];
  let bubble: number | undefined;
  /** Whether the last thing written on stdout left the cursor within a line. */
  let within = false;

  function answer(text: string, messageId: number): void {
    status.clear();
    if (within && bubble !== messageId) output.out("\n");
    bubble = messageId;
    output.out(harmless(text));
    within = !text.endsWith("\n");
  }

  function aside(text: string): void {
    status.clear();
    if (within && output.live) output.out("\n");
    if (output.live) within = false;
    output.aside(`${harmless(text)}\n`);
  }

  function show(event: TurnEvent): void {
    if (json) output.out(`${JSON.stringify(event)}\n`);
    if (!json) showForPeople(event);
    else if (event.type === "progress") status.show(progressLine(event));
    else status.clear();
  }

  function showForPeople(event: TurnEvent): void {
    if (event.type === "delta") answer(event.text, event.messageId);
    else if (event.type === "progress") status.show(progressLine(event));
    else if (event.type === "state") step(event);
    else if (event.type === "retry") waits(event.wait);
    else if (event.type === "turn.ended") end(event);
    else {
      const line = asideLine(event, trace);
      if (line !== undefined) aside(line);
    }
  }

  function waits(wait: RetryWait): void {
    aside(`${problems[wait.code].en}. ${waitLine(wait)}`);
    if (wait.fallback === undefined) status.follow(() => waitLine(wait));
  }

  function step(entry: TraceEntry): void {
    steps.push(entry);
    if (trace) aside(stateLine(entry));
  }

  function end(ended: Ended): void {
    const { text } = ended;
    status.clear();
    if (bubble === undefined && text !== "") output.out(harmless(text)); // a command's reply, or an answer nobody streamed
    if (bubble !== undefined ? within : text !== "") output.out("\n");
    bubble = undefined;
    within = false;
    const words = [endingWords(ended), ...(trace ? [] : [traceLine(steps, ended.usage)])];
    for (const line of words) if (line !== "") output.aside(`${harmless(line)}\n`);
    steps.length = 0;
  }

  return { show };
}

/** What is said beside the answer, if anything is. */
function asideLine(event: TurnEvent, trace: boolean): string | undefined {
  switch (event.type) {
    case "turn.started":
      return event.continued ? "Going on with the interrupted answer." : undefined;
    case "tool":
      return toolLine(event);
    case "notice":
      return event.text;
    case "injected":
      return `+ ${firstLine(textOf(event.message.parts))}`;
    case "goal":
      return goalLine(event.goal);
    case "checkpoint":
      return trace ? `  on disk: ${event.phase}, request ${event.iteration}` : undefined;
    default:
      return undefined;
  }
}

/** One line at the bottom that is written over; without a person looking it is not written at all. */
export function createStatusLine({ aside, live }: Output) {
  let shown = false;
  let timer: NodeJS.Timeout | undefined;

  function show(text: string): void {
    clearInterval(timer);
    if (!live) return;
    aside(`\r\x1b[2K${text}`);
    shown = true;
  }

  return {
    show,
    /** Written anew with every second, until something else is. */
    follow(text: () => string): void {
      show(text());
      if (live) timer = setInterval(() => aside(`\r\x1b[2K${text()}`), 1000).unref();
    },
    clear(): void {
      clearInterval(timer);
      if (shown) aside("\r\x1b[2K");
      shown = false;
    },
  };
}

function waitLine({ attempt, of, until, fallback }: RetryWait): string {
  if (fallback !== undefined) return `Asking ${fallback} instead.`;
  const seconds = Math.max(0, Math.ceil((until - Date.now()) / 1000));
  return `Trying again${seconds > 0 ? ` in ${seconds} s` : ""} (try ${attempt} of ${of}).`;
}

function progressLine({ phase, done, total, reused = 0 }: Extract<TurnEvent, { type: "progress" }>): string {
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  if (phase === "fetching") return `Fetching the model: ${megabytes(done)} of ${megabytes(total)} MB (${percent} %)`;
  if (phase === "loading") return `Loading the model: ${percent} %`;
  return `Reading: ${done} of ${total} tokens${reused > 0 ? ` (${reused} remembered)` : ""}`;
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/** What has to be said about an end that is not plain. */
function endingWords({ error, stopReason }: Ended): string {
  if (error && error.code !== "aborted") return error.message;
  if (stopReason === "aborted") return "Stopped. What was written is kept.";
  return stopReason === "max_iterations" ? "The limit of steps for one message was reached." : "";
}

/** The whole trace in one line, with the speed of the answer. */
function traceLine(steps: readonly TraceEntry[], usage: Ended["usage"]): string {
  const states = steps.map(
    ({ state, outcome, ms }) => `${state}${isPlain(outcome) ? "" : ` ${outcome}`} ${ms.toFixed(0)}`,
  );
  const speed =
    usage && usage.decodeMs > 0 ? ` · ${((1000 * usage.outputTokens) / usage.decodeMs).toFixed(0)} tokens/s` : "";
  return `[${states.join(" · ")} ms${speed}]`;
}

const isPlain = (outcome: string): boolean => outcome === "ok" || outcome === "dispatch";

/** A message that joined the running answer. */
const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

const goalReasons: Readonly<Record<NonNullable<Goal["reason"]>, string>> = {
  "asked-user": "it asks you something",
  "no-progress": "it made no progress",
  budget: "its budget is spent",
  error: "an answer failed",
  stopped: "you stopped it",
  person: "you said so",
  model: "the model said so",
};

function goalLine({ text, state, reason, note, spent, budget }: Goal): string {
  const why = [reason === undefined ? "" : goalReasons[reason], note ?? ""].filter((words) => words !== "").join(", ");
  const steps = `${spent.iterations} of ${budget.iterations} steps`;
  return `Goal ${state}${why === "" ? "" : ` (${why})`}: ${firstLine(text)} · ${steps}`;
}

function stateLine({ state, outcome, ms, error }: TraceEntry): string {
  return `  ${state} ${outcome} ${ms.toFixed(1)} ms${error ? `: ${error.message}` : ""}`;
}

function toolLine({ phase, name, input, ok, summary, origin }: Extract<TurnEvent, { type: "tool" }>): string {
  const why = origin === "named" ? " (named in your message)" : "";
  if (phase === "start") return `→ ${name} ${JSON.stringify(input)}${why}`;
  return `${ok ? "✓" : "✗"} ${name}: ${summary ?? ""}`;
}
