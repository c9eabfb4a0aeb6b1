import { toAppError } from "../../shared/errors.ts";
import { chatIdOf, isPrivate } from "../lib/chat-id.ts";
import { nearestName } from "../tools/validate.ts";
import { formatTrace } from "./format-trace.ts";
import type { Turn, TurnDeps } from "./turn.ts";

interface CommandReply {
  readonly reply: string;
  readonly nextSessionId?: string;
}

interface Command {
  readonly name: string;
  readonly arguments: string;
  readonly help: string;
  /** Answered at once, also while the session is busy. */
  readonly priority: boolean;
  /** Whether the command and its answer stay in the session. */
  readonly keepsRows: boolean;
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
    await models.check(name);
  } catch (thrown) {
    return toAppError(thrown).message;
  }
  store.setSessionModel(sessionId, name);
  return `This chat uses ${name} from the next message on.`;
}

/** What is left to do for a message that is a command. Undefined: it is not one. */
export function findCommand(input: string) {
  const text = input.trim().replace(/^／/, "/"); // the full-width slash of a Chinese keyboard
  if (!text.startsWith("/") || text.startsWith("//") || text.includes("\n")) return undefined;
  const [word = "", ...rest] = text.split(/\s+/);
  if (!/^\/[a-z]+$/i.test(word)) return undefined; // a path, or a slash in a sentence
  const name = word.toLowerCase();
  const command = commands.find((candidate) => candidate.name === name);
  if (!command) return { keepsRows: true, priority: false, run: () => unknown(name) };
  const { keepsRows, priority } = command;
  return {
    keepsRows,
    priority: priority && rest.length === 0,
    run: (turn: Turn, deps: TurnDeps) => command.run(rest.join(" "), turn, deps),
  };
}

function unknown(name: string): CommandReply {
  const nearest = nearestName(
    name,
    commands.map((command) => command.name),
  );
  return { reply: `There is no command ${name}. ${nearest ? `Did you mean ${nearest}?` : "/help lists them."}` };
}
