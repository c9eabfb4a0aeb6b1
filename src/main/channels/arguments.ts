import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { AppError, toAppError } from "../../shared/errors.ts";
import type { AwayFlags } from "./cloud-commands.ts";
import type { RecoveryPlan } from "./recover.ts";

export const commands = ["ask", "chat", "serve", "recover", "doctor", "models", "cloud", "network"] as const;
export type Command = (typeof commands)[number];

export interface CliArguments {
  readonly command: Command | "help";
  readonly text: string;
  /** The same, each word by itself. */
  readonly words: readonly string[];
  readonly json: boolean;
  readonly yes: boolean;
  readonly trace: boolean;
  readonly tryHeld: boolean;
  readonly model?: string;
  /** The cloud model that answers in this chat from now on. */
  readonly cloud?: string;
  readonly session?: string;
  /** Undefined: a folder of its own. */
  readonly workspace: string | undefined;
  readonly dataFolder: string;
  readonly waitSeconds: number;
  /** Of the page in the browser; absent: any free one. */
  readonly port?: number;
  /** Opens the page in the person's browser. */
  readonly open: boolean;
  /** What `recover` is to do. */
  readonly recovery: RecoveryPlan;
  /** `doctor` looks at everything now, and not only at what is known. */
  readonly full: boolean;
  /** What `cloud` and `network` were told besides words. */
  readonly away: AwayFlags;
  /** Flags that only a Lares of its own can honour: one that is open already has chosen these things. */
  readonly forItself: readonly string[];
}

const options = {
  json: { type: "boolean" },
  yes: { type: "boolean" },
  trace: { type: "boolean" },
  "try-held": { type: "boolean" },
  help: { type: "boolean", short: "h" },
  model: { type: "string" },
  cloud: { type: "string" },
  session: { type: "string" },
  workspace: { type: "string" },
  wait: { type: "string" },
  port: { type: "string" },
  open: { type: "boolean" },
  continue: { type: "boolean" },
  dismiss: { type: "boolean" },
  happened: { type: "string", multiple: true },
  "not-happened": { type: "string", multiple: true },
  again: { type: "string", multiple: true },
  full: { type: "boolean" },
  url: { type: "string" },
  name: { type: "string" },
  window: { type: "string" },
  chat: { type: "string" },
} as const;

/** Of these flags the command makes sense, and no other one. */
const flagsOf: Partial<Record<keyof typeof options, Command>> = {
  continue: "recover",
  dismiss: "recover",
  happened: "recover",
  "not-happened": "recover",
  again: "recover",
  full: "doctor",
  url: "cloud",
  name: "cloud",
  window: "cloud",
  chat: "network",
};

export const usage = `Usage:
  npm start -- [flags]                 the window; without a display, the page in a browser
  npm run -s serve -- [flags]          the page in a browser of this computer
  npm run -s ask -- [flags] "text"     one question, one answer ("-" reads it from standard input)
  npm run -s chat -- [flags]           a conversation; Ctrl-C stops an answer, twice leaves
  npm run -s recover -- [flags]        what a crash left: see it, go on with it or leave it
  npm run -s doctor -- [flags]         how your data is
  npm run -s models -- ACTION          your models: list, get ID|OWNER/NAME/FILE, search WORDS, info ID|PATH, use ID|PATH,
                                       remove ID; get and search go out this once, Local mode or not
  npm run -s cloud -- ACTION           cloud models and their keys: list, add VENDOR (the key on standard input),
                                       test NAME, use NAME MODEL, key NAME, remove NAME, vault [system|passphrase|session]
  npm run -s network -- [flags]        what left this computer; local on|off is the switch of Local mode

When Lares is open already, each of these goes through it.

Flags:
  --model FILE|ID     a .gguf file, or a model of the catalogue
  --cloud NAME        a cloud model answers in this chat from now on; what leaves is said first
  --session ID        go on with this chat (default: a new one)
  --workspace DIR     the folder the assistant may read (default: this one; of serve: an empty one of its own)
  --json              one event a line on standard output
  --trace             show each step as it is taken
  --yes               fetch the starter model without asking
  --wait SECONDS      wait for another Lares that uses the data folder and does not answer (default 60)
  --port NUMBER       the port of the page (default: a free one)
  --open              open the page in the browser
  --try-held          try a model again that stopped the engine before
  --continue          of recover: go on with the interrupted answer
  --dismiss           of recover: leave it as it is
  --happened CALL     of recover: the call did happen (its number in the list); also --not-happened, and --again: run it
  --full              of doctor: look at everything now
  --url URL           of cloud add: the address; also --name NAME, what you call it
  --window TOKENS     of cloud use: how much the model reads, where its vendor does not say
  --chat ID           of network: only of this chat

LARES_HOME names the data folder.
Exit codes: 0 answered · 1 failed · 2 wrong flag or empty message · 3 no usable model · 4 data folder · 5 data folder
in use · 6 message too long for the model · 7 an interrupted answer waits · 130 stopped`;

/** Reads the command line. Throws AppError `bad-request` that names what is wrong. */
export function readArguments(argv: readonly string[], env: NodeJS.ProcessEnv): CliArguments {
  const { values, positionals } = parse(argv);
  const [command = "chat", ...words] = positionals;
  if (values.help || command === "help") return { ...defaults(values, env), command: "help", text: "", words: [] };
  if (!isCommand(command)) throw new AppError("bad-request", `There is no command "${command}". ${usage}`);
  if (!wordy.includes(command) && words.length > 0) {
    throw new AppError("bad-request", `${command} takes no text; to ask one question: ask "${words.join(" ")}"`);
  }
  const misplaced = Object.entries(flagsOf).find(([flag, of]) => flag in values && of !== command);
  if (misplaced)
    throw new AppError("bad-request", `--${misplaced[0]} is a flag of ${misplaced[1]}. --help lists them.`);
  const given = defaults(values, env);
  // A terminal stands in a folder; a page stands nowhere, and begins with a folder of its own.
  const workspace = command === "serve" && values.workspace === undefined ? undefined : given.workspace;
  return { ...given, workspace, command, text: words.join(" "), words };
}

/** These say in words what is to be done. */
const wordy: readonly Command[] = ["ask", "models", "cloud", "network"];

const isCommand = (word: string): word is Command => commands.some((command) => command === word);

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (thrown) {
    const [reason = ""] = toAppError(thrown).message.split(/\.\s/); // Node goes on with advice that does not fit here
    throw new AppError("bad-request", `${reason}. --help lists the flags.`, thrown);
  }
}

type Values = ReturnType<typeof parse>["values"];

function recovery(values: Values): RecoveryPlan {
  const { continue: goOn = false, dismiss = false } = values;
  if (goOn && dismiss) throw new AppError("bad-request", "--continue and --dismiss exclude each other.");
  const decided = (["happened", "not-happened", "again"] as const).flatMap((decision) =>
    (values[decision] ?? []).map((call) => ({ call, decision })),
  );
  const twice = decided.find(({ call }, at) => decided.findIndex((other) => other.call === call) !== at);
  if (twice) throw new AppError("bad-request", `The call ${twice.call} is decided twice. Say one thing of it.`);
  return { goOn, dismiss, decisions: decided };
}

function defaults(values: Values, env: NodeJS.ProcessEnv) {
  return {
    json: values.json ?? false,
    yes: values.yes ?? false,
    trace: values.trace ?? false,
    tryHeld: values["try-held"] ?? false,
    ...(values.model !== undefined && { model: values.model }),
    ...(values.cloud !== undefined && { cloud: values.cloud }),
    ...(values.session !== undefined && { session: sessionId(values.session) }),
    workspace: workspace(values.workspace),
    dataFolder: resolve(env.LARES_HOME || defaultDataFolder(env, process.platform)),
    waitSeconds: seconds(values.wait),
    ...(values.port !== undefined && { port: port(values.port) }),
    open: values.open ?? false,
    recovery: recovery(values),
    full: values.full ?? false,
    away: away(values),
    forItself: (["model", "workspace", "try-held"] as const).flatMap((flag) => (flag in values ? [`--${flag}`] : [])),
  };
}

function away({ url, name, window, chat }: Values): AwayFlags {
  return {
    ...(url !== undefined && { url }),
    ...(name !== undefined && { name }),
    ...(window !== undefined && { window: tokens(window) }),
    ...(chat !== undefined && { chat: sessionId(chat) }),
  };
}

function tokens(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1024 && value <= 10_000_000) return value;
  throw new AppError("bad-request", `--window ${JSON.stringify(text)}: tokens are a number from 1024 to 10000000.`);
}

/** A folder whose name was mistyped would look like one without files. */
function workspace(path = "."): string {
  const folder = resolve(path);
  if (isFolder(folder)) return folder;
  throw new AppError("bad-request", `${folder} is not a folder that can be read. Name another one with --workspace.`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // not there, or closed to us
  }
}

function sessionId(id: string): string {
  if (/^[\w-]{1,64}$/.test(id)) return id;
  throw new AppError("bad-request", `--session ${JSON.stringify(id)}: a session is 1 to 64 letters, digits, - or _.`);
}

function seconds(text = "60"): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new AppError("bad-request", `--wait ${JSON.stringify(text)}: seconds are a number from 0 on.`);
}

function port(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= 65_535) return value;
  throw new AppError("bad-request", `--port ${JSON.stringify(text)}: a port is a number from 1 to 65535.`);
}

/** Where this platform keeps an application's data. */
export function defaultDataFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (platform === "win32") return join(env.APPDATA ?? homedir(), "Lares");
  if (platform === "darwin") return join(homedir(), "Library", "Application Support", "Lares");
  return join(env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "lares");
}
