import type { Store } from "../../src/main/db/store.ts";
import { callsOf, type Message, textOf } from "../../src/shared/message.ts";
import type { ToolCallRecord } from "../../src/shared/turn.ts";
import type { Fact } from "./evidence.ts";
import { chat } from "./person.ts";
import { answerText, classOf, followUpAnswer } from "./scene.ts";

/** What is wrong with a store, measured against the evidence. Empty lists: nothing. */
export interface Verdict {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly corrupt: readonly string[];
  /** Characters that the model had produced and the store has not. */
  readonly unstored: number;
}

/**
 * at rest: a crash left it so, and nobody has opened it. found: the app has started over it. settled: all that was left
 * is decided and has come to its end, so that there must be one whole answer to everything.
 */
export type Stage = "at rest" | "found" | "settled";

/** What is on disk at most so much later than it came (answer-row.ts), and the piece that comes in between. */
const LOSS = 2_048 + 400;

/** The one judge of all harnesses: `store.check()` for what the store can know, the evidence for what it cannot. */
export function judge(store: Store, facts: readonly Fact[], stage: Stage): Verdict {
  const rows = store.page(chat, { limit: 10_000 });
  const turnIds = [...new Set(rows.map(({ turnId }) => turnId))];
  const calls = turnIds.flatMap((id) => store.calls(id));
  const seen: Seen = { store, facts, rows, turnIds, calls, stage };
  const settled = stage === "settled";
  const unstored = settled ? 0 : notStored(seen);
  return {
    lost: [
      ...lostMessages(seen),
      ...lostResults(seen),
      ...(settled ? unfinished(seen) : []),
      ...(unstored > LOSS ? [`${unstored} characters of the answer`] : []),
    ],
    doubled: [...doubledMessages(seen), ...doubledEffects(seen), ...doubledResults(seen)],
    corrupt: [
      ...store.check().map(({ code, text }) => `${code}: ${text}`),
      ...earlyEffects(seen),
      ...inventedText(seen),
      ...disorder(seen),
      ...openCalls(seen),
      ...untyped(facts),
    ],
    unstored,
  };
}

interface Seen {
  readonly store: Store;
  readonly facts: readonly Fact[];
  readonly rows: readonly Message[];
  readonly turnIds: readonly string[];
  readonly calls: readonly ToolCallRecord[];
  readonly stage: Stage;
}

const ofType = <T extends Fact["type"]>(facts: readonly Fact[], ...types: readonly T[]) =>
  facts.filter((fact): fact is Extract<Fact, { type: T }> => types.some((type) => type === fact.type));

const userRows = ({ rows }: Seen): Message[] => rows.filter(({ role, kind }) => role === "user" && kind === "chat");

/** The places where a person can see a message: rows, and what waits. At rest a turn may have taken it and not come to its row. */
function copiesOf(seen: Seen, text: string): number {
  const rows = userRows(seen).filter(({ parts }) => textOf(parts) === text).length;
  const waiting = seen.store.waiting(chat).filter((inbound) => inbound.text === text).length;
  if (rows + waiting > 0 || seen.stage !== "at rest") return rows + waiting;
  const ids = ofType(seen.facts, "sent").flatMap((fact) => (fact.text === text ? [fact.id] : []));
  return ids.some((id) => seen.store.inbound(id)?.state === "taken") ? 1 : 0;
}

const textsOf = (facts: readonly Fact[], type: "sent" | "acknowledged"): Set<string> =>
  new Set(ofType(facts, type).map(({ text }) => text));

const lostMessages = (seen: Seen): string[] =>
  [...textsOf(seen.facts, "acknowledged")]
    .filter((text) => copiesOf(seen, text) === 0)
    .map((text) => `the message "${text}"`);

const doubledMessages = (seen: Seen): string[] =>
  [...textsOf(seen.facts, "sent")].filter((text) => copiesOf(seen, text) > 1).map((text) => `the message "${text}"`);

/** Messages stand in the order in which they were acknowledged, but for those that became drafts. */
function disorder(seen: Seen): string[] {
  const drafted = new Set(ofType(seen.facts, "drafted").map(({ text }) => text));
  const order = [...textsOf(seen.facts, "acknowledged")].filter((text) => !drafted.has(text));
  const places = userRows(seen)
    .map(({ parts }) => order.indexOf(textOf(parts)))
    .filter((place) => place >= 0);
  return places.every((place, at) => at === 0 || place > (places[at - 1] ?? -1)) ? [] : ["the order of the messages"];
}

function doubledEffects({ facts }: Seen): string[] {
  const effects = ofType(facts, "effect").filter(({ tool }) => classOf(tool) === "once");
  const keys = new Set(effects.map(({ key }) => key));
  return [...keys].flatMap((key) => {
    const times = effects.filter((effect) => effect.key === key).length;
    const allowed = 1 + ofType(facts, "again").filter((again) => again.key === key).length;
    return times > allowed ? [`${key} happened ${times} times`] : [];
  });
}

/** Each effect has a call that was `running` before it: one that is only requested, or not there, came too late. */
function earlyEffects({ facts, rows, calls }: Seen): string[] {
  const idOf = new Map(
    rows.flatMap(({ parts }) => callsOf(parts).map(({ id, input }) => [String(Object(input).key), id] as const)),
  );
  const begun = new Set(calls.filter(({ startedAt }) => startedAt !== undefined).map(({ id }) => id));
  return ofType(facts, "effect")
    .filter(({ key }) => !begun.has(idOf.get(key) ?? ""))
    .map(({ key }) => `${key} happened before its intention was stored`);
}

const resultsIn = (rows: readonly Message[]): string[] =>
  rows.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])));

function lostResults({ rows, calls }: Seen): string[] {
  const results = new Set(resultsIn(rows));
  return calls
    .filter(({ id, state }) => (state === "finished" || state === "failed") && !results.has(id))
    .map(({ id }) => `the result of ${id}`);
}

function doubledResults({ rows }: Seen): string[] {
  const results = resultsIn(rows);
  return results.filter((id, at) => results.indexOf(id) !== at).map((id) => `the result of ${id}`);
}

/** A turn that is over, with nothing left to decide, says of each call what became of it. */
function openCalls({ store, calls, stage }: Seen): string[] {
  if (stage === "at rest") return [];
  const isOver = (turnId: string) => {
    const turn = store.turn(turnId);
    return turn?.endedAt !== undefined && turn.recovery === undefined;
  };
  return calls
    .filter(({ state }) => state === "requested" || state === "approved" || state === "running")
    .filter(({ turnId }) => isOver(turnId))
    .map(({ id, state }) => `the call ${id} is ${state} in a turn that is over`);
}

const answers = (rows: readonly Message[]): Message[] =>
  rows.filter(({ role, kind, parts }) => role === "assistant" && kind === "chat" && textOf(parts) !== "");

/** Every task that was ever sent, by its text. */
const tasksOf = (facts: readonly Fact[]): string[] =>
  [...textsOf(facts, "sent")].flatMap((text) => /^Task (\S+):/.exec(text)?.[1] ?? []);

/** Nothing stands in an answer that the model did not say. */
function inventedText({ facts, rows }: Seen): string[] {
  const whole = tasksOf(facts).map(answerText);
  return answers(rows)
    .map(({ parts }) => textOf(parts))
    .filter((text) => !whole.some((answer) => answer.startsWith(text)) && !text.startsWith(followUpAnswer("")))
    .map((text) => `an answer that was never said: "${text.slice(0, 80)}…"`);
}

/** What the model said last and no row has. */
function notStored({ facts, rows }: Seen): number {
  const last = ofType(facts, "produced").at(-1);
  if (!last) return 0;
  const stored = answers(rows).map(({ parts }) => textOf(parts));
  const answer = answerText(last.task);
  const most = Math.max(0, ...stored.filter((text) => answer.startsWith(text)).map(({ length }) => length));
  return Math.max(0, last.characters - most);
}

/** Once all is continued: no turn is open, no message waits, and each task has its whole answer once. */
function unfinished(seen: Seen): string[] {
  const { store, facts, rows, turnIds } = seen;
  const turns = turnIds.flatMap((id) => store.turn(id) ?? []);
  const broken = turns.filter(({ stopReason }) => stopReason !== "completed").length;
  const failed = ofType(facts, "ended").some(({ stopReason }) => stopReason === "error"); // and said so
  const excused = failed || ofType(facts, "dismissed", "stopped", "refused").length > 0;
  const texts = answers(rows).map(({ parts }) => textOf(parts));
  const unanswered = turnIds
    .flatMap((id) => lastTaskOf(seen, id) ?? [])
    .filter((task) => texts.filter((text) => text === answerText(task)).length !== 1);
  return [
    ...store.unfinishedTurns().map(({ id }) => `the end of turn ${id}`),
    ...store.recoveries(chat).map(({ id, recovery }) => `the decision on turn ${id} (${recovery})`),
    ...store.waiting(chat).map(({ text, state }) => `the turn for "${text}" (${state})`),
    ...(broken > 0 && !excused ? [`the end of ${broken} turns that were continued`] : []),
    ...(excused ? [] : unanswered.map((task) => `the one whole answer to task ${task}`)),
  ];
}

/** What a turn has to answer: a task that joined it as a follow-up stands in the place of the one before. */
const lastTaskOf = (seen: Seen, turnId: string): string | undefined =>
  userRows(seen)
    .flatMap((row) => (row.turnId === turnId ? (/^Task (\S+):/.exec(textOf(row.parts))?.[1] ?? []) : []))
    .at(-1);

/** Whatever is refused says why, in words that the app has. */
const untyped = (facts: readonly Fact[]): string[] =>
  [
    ...ofType(facts, "refused").filter(({ code }) => code.startsWith("untyped") || code === "internal"),
    ...ofType(facts, "ended").filter(({ code }) => code === "internal"),
  ].map((fact) => `an error without a name: ${JSON.stringify(fact)}`);
