import { toAppError } from "../../shared/errors.ts";
import type { Goal } from "../../shared/goal.ts";
import { chatIdOf, isPrivate } from "../lib/chat-id.ts";
import { nearestName } from "../tools/validate.ts";
import { formatTrace } from "./format-trace.ts";
import { newGoal } from "./goals.ts";
import type { Turn, TurnDeps } from "./turn.ts";

interface CommandReply {
  readonly reply: string;
  readonly nextSessionId?: string;
  /** It is not answered here: the model is asked this. */
  readonly question?: string;
}

interface Command {
  readonly name: string;
  readonly arguments: string;
  readonly help: string;
  /** Answered at once, also while the session is busy. */
  readonly priority: boolean;
  /** Whether the command and its answer stay in the session. */
  readonly keepsRows: boolean;
  /** With these words it asks the model something, like any message. */
  asks?(rest: string): boolean;
  run(rest: string, turn: Turn, deps: TurnDeps): CommandReply | Promise<CommandReply>;
}

/** Every slash command; adding one is a row. */
const commands: readonly Command[] = [
  {
    name: "/help",
    arguments: "",
    help: "what can be typed here",
    priority: false,
    keepsRows: true,
    run: () => ({ reply: commands.map(helpLine).join("\n") }),
  },
  {
    name: "/new",
    arguments: "",
    help: "start a new chat; this one stays",
    priority: false,
    keepsRows: false,
    run: (_rest, { sessionId }, { newId }) => {
      const reply = "A new chat. The one before is kept.";
      return { reply, nextSessionId: chatIdOf(newId(), { private: isPrivate(sessionId) }) };
    },
  },
  {
    name: "/stop",
    arguments: "",
    help: "stop the answer that is being written; waiting messages become drafts",
    priority: true,
    keepsRows: true,
    run: (_rest, { sessionId }, { control }) => ({ reply: stopped(control.stop(sessionId)) }),
  },
  {
    name: "/status",
    arguments: "",
    help: "what is running, and with which model",
    priority: true,
    keepsRows: true,
    run: (_rest, turn, deps) => ({ reply: status(turn, deps) }),
  },
  {
    name: "/model",
    arguments: "[name or file]",
    help: "show the models, or choose one for this chat",
    priority: false,
    keepsRows: true,
    run: async (rest, turn, deps) => ({
      reply: rest === "" ? await models(turn, deps) : await chooseModel(rest, turn, deps),
    }),
  },
  {
    name: "/goal",
    arguments: "[what to reach | pause | resume | cancel]",
    help: "work on something until it is reached, within a budget; or show it",
    priority: false,
    keepsRows: true,
    asks: (rest) => rest !== "" && !["pause", "cancel"].includes(rest),
    run: (rest, turn, deps) => goalCommand(rest, turn, deps),
  },
  {
    name: "/trace",
    arguments: "",
    help: "the steps of the last answer, with their times",
    priority: false,
    keepsRows: true,
    run: (_rest, { sessionId }, { store }) => {
      const last = store.lastTurn(sessionId);
      return { reply: last ? formatTrace(store.trace(last.id)) : "Nothing has been answered in this chat yet." };
    },
  },
];

const helpLine = ({ name, arguments: args, help }: Command): string => `${[name, args].join(" ").padEnd(24)} ${help}`;

function stopped({ stopped, drafts }: { stopped: number; drafts: number }): string {
  if (stopped === 0 && drafts === 0) return "Nothing is running here.";
  return drafts === 0 ? "Stopped." : `Stopped. ${drafts} waiting messages are now drafts.`;
}

function status({ session, sessionId }: Turn, { control, settings, store }: TurnDeps): string {
  const { running, waiting } = control.status();
  const last = store.lastTurn(sessionId);
  const answered = last?.stopReason ? ` Last answer: ${last.stopReason}.` : "";
  return `Running: ${running}. Waiting: ${waiting}. Model: ${session?.model ?? settings().model ?? "the default"}.${answered}`;
}

function goalCommand(rest: string, turn: Turn, deps: TurnDeps): CommandReply {
  const { sessionId, id: turnId } = turn;
  const tell = (goal: Goal) => deps.emit({ type: "goal", sessionId, turnId, goal });
  if (rest === "") return { reply: goalLine(deps.store.goal(sessionId)) };
  if (rest !== "pause" && rest !== "cancel" && rest !== "resume") {
    const goal = newGoal(sessionId, rest, deps.settings(), deps.now());
    deps.store.setGoal(goal);
    tell(goal);
    return { reply: "", question: rest };
  }
  try {
    const goal = deps.control.changeGoal(sessionId, rest);
    tell(goal);
    return rest === "resume" ? { reply: "", question: `Go on with the goal: ${goal.text}` } : { reply: goalLine(goal) };
  } catch (thrown) {
    return { reply: toAppError(thrown).message };
  }
}

function goalLine(goal: Goal | undefined): string {
  if (!goal) return "This chat has no goal. Set one with /goal and what is to be reached.";
  const { text, state, reason, note, spent, budget } = goal;
  const why = [reason && `(${reason})`, note].filter(Boolean).join(" ");
  const used = `${spent.iterations} of ${budget.iterations} requests, ${spent.tokens} of ${budget.tokens} tokens, ${Math.ceil(spent.minutes)} of ${budget.minutes} minutes`;
  return `Goal, ${state}${why === "" ? "" : ` ${why}`}: ${text}\nSpent: ${used}.`;
}

async function models({ session }: Turn, { models, settings }: TurnDeps): Promise<string> {
  const names = await models.list();
  const chosen = session?.model ?? settings().model ?? "the default";
  const list = names.length === 0 ? "none yet; the starter model is fetched with the first question" : names.join(", ");
  return `This chat uses: ${chosen}. Here: ${list}.`;
}

async function chooseModel(name: string, { sessionId }: Turn, { store, models }: TurnDeps): Promise<string> {
  if (name === "default") {
    store.setSessionModel(sessionId, undefined);
    return "This chat uses the default model from the next message on.";
  }
  try {
    store.setSessionModel(sessionId, await models.check(name));
  } catch (thrown) {
    return toAppError(thrown).message;
  }
  return `This chat uses ${name} from the next message on.`;
}

/** One line with a slash (or the full-width one of a Chinese keyboard), a word, and more words or none: no path, no paste. */
const spelling = /^[/／]([a-z]+)(?:[^\S\r\n\u2028\u2029]+(.*))?$/i;

/** What is left to do for a message that is a command. Undefined: it is not one. */
export function findCommand(input: string) {
  const [found, word = "", words = ""] = spelling.exec(input.trim()) ?? [];
  if (found === undefined) return undefined;
  const name = `/${word.toLowerCase()}`;
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return { keepsRows: true, priority: false, asks: false, run: () => unknown(name) };
  const { keepsRows, priority } = command;
  return {
    keepsRows,
    priority: priority && words === "",
    /** The model answers it, and not Lares. */
    asks: command.asks?.(words) ?? false,
    run: (turn: Turn, deps: TurnDeps): CommandReply | Promise<CommandReply> => command.run(words, turn, deps),
  };
}

/** Whether Lares itself answers a message, and no model. */
export function isAnsweredHere(input: string): boolean {
  const command = findCommand(input);
  return command !== undefined && !command.asks;
}

/** Two slashes are how a message begins like a command and is none: the model reads one of them. */
export function withoutEscape(input: string): string {
  const text = input.replace(/^(\s*[/／])[/／]/, "$1");
  return spelling.test(text.trim()) ? text : input;
}

function unknown(name: string): CommandReply {
  const names = commands.map((command) => command.name);
  const meant = names.find((one) => one.startsWith(name)) ?? nearestName(name, names);
  const hint = meant ? `Did you mean ${meant}?` : "/help lists them.";
  return { reply: `There is no command ${name}. ${hint} With two slashes, /${name}, it is a message.` };
}
