import { createInterface } from "node:readline/promises";
import { text as readAll } from "node:stream/consumers";
import { AppError, toAppError, toWire } from "../shared/errors.ts";
import { exitCodeOf, exitCodes } from "../shared/exit-codes.ts";
import { findCommand } from "./agent/commands.ts";
import { type App, createApp } from "./app.ts";
import { examine } from "./app-doctor.ts";
import { type Reached, withRoad } from "./app-road.ts";
import { type CliArguments, type Command, readArguments, usage } from "./channels/arguments.ts";
import { askPerson } from "./channels/ask-person.ts";
import { askSecret, createScreen, type Typing } from "./channels/ask-secret.ts";
import { attend } from "./channels/attend.ts";
import { findPageFolder, serveBrowser } from "./channels/browser.ts";
import { chat } from "./channels/chat.ts";
import { cloudCommand, unlockKeys } from "./channels/cloud-commands.ts";
import { type Conversation, createConversation } from "./channels/conversation.ts";
import { doctorCode, doctorText } from "./channels/doctor.ts";
import { harmless } from "./channels/harmless.ts";
import { models } from "./channels/models-commands.ts";
import { networkCommand } from "./channels/network-command.ts";
import { recover } from "./channels/recover.ts";
import { tellWhatIsLeft } from "./channels/tell-left.ts";
import { createTerminalView, type Output } from "./channels/terminal.ts";
import { toCloud } from "./channels/to-cloud.ts";
import { monotonicMs, newId } from "./lib/clock.ts";
import { redact } from "./lib/redact.ts";
import { openInBrowser } from "./net/open-browser.ts";

const output: Output = {
  out: (text) => void process.stdout.write(text),
  aside: (text) => void process.stderr.write(text),
  live: process.stderr.isTTY === true,
};

type Open = typeof createApp;

/** Runs one command of the terminal and gives the exit code. `open`: what builds the assistant. */
export async function runCli(argv: readonly string[], open: Open = createApp): Promise<number> {
  let json = false;
  try {
    const cli = readArguments(argv, process.env);
    json = cli.json;
    if (cli.command === "help") {
      output.out(`${usage}\n`);
      return exitCodes.ok;
    }
    return await commands[cli.command](cli, open);
  } catch (thrown) {
    const { code, message, ...rest } = toWire(toAppError(thrown));
    const error = { ...rest, code, message: redact(message) }; // it may quote a word that was typed
    if (json) output.out(`${JSON.stringify({ type: "error", error })}\n`);
    output.aside(`${harmless(error.message)}\n`);
    return exitCodeOf({ error });
  }
}

/** What becomes of an interrupted answer when a message is sent into its chat. */
const SUPERSEDED = "Your message leaves it as it is.";
const WAITS = "npm run -s recover goes on with it; a new message leaves it as it is.";

/** Begins, or goes on with, one chat. `text`: what is about to be sent. */
async function start(
  { road, app }: Reached,
  { session, json, trace, cloud }: CliArguments,
  text = "/",
  typing?: Typing,
): Promise<Conversation> {
  const view = createTerminalView({ output, json, trace });
  const sessionId = session ?? newId();
  const command = findCommand(text);
  const then = command && !command.asks ? WAITS : SUPERSEDED;
  const isDraft = app?.recovered.some(({ sessionId: of, what }) => of === sessionId && what === "draft");
  if (!json && isDraft) output.aside("Your last message in this chat was not answered: it is a draft now.\n");
  if (!json) await tellWhatIsLeft({ road, output, sessionId, then });
  if (cloud !== undefined && process.stdin.isTTY) await unlockKeys(road, (question) => askSecret(question, typing));
  if (cloud !== undefined) await toCloud({ road, sessionId, name: cloud, say: output.aside });
  return createConversation({ road, sessionId, newId, show: view.show });
}

async function ask(cli: CliArguments, open: Open): Promise<number> {
  const text = cli.text === "-" ? await readAll(process.stdin) : cli.text;
  return withRoad({ cli, output, open }, async (reached) => {
    const conversation = await start(reached, cli, text);
    onInterrupt(conversation);
    const end = await conversation.send(text);
    if (!("stopReason" in end)) {
      if (cli.json) output.out(`${JSON.stringify({ type: "error", error: end.error })}\n`);
      output.aside(`${harmless(end.error.message)}\n`);
    } else if (!cli.json && output.live) {
      output.aside(`(--session ${conversation.sessionId()} goes on with this chat)\n`);
    }
    return exitCodeOf(end);
  });
}

async function converse(cli: CliArguments, open: Open): Promise<number> {
  const interactive = process.stdin.isTTY === true;
  const screen = createScreen(process.stderr);
  const lines = createInterface({ input: process.stdin, output: screen.stream, terminal: interactive, prompt: "› " });
  lines[Symbol.asyncIterator](); // lines that come while the app opens are kept from here on
  return withRoad({ cli, output, lines, open }, async (reached) => {
    const conversation = await start(reached, cli, "/", { lines, screen });
    if (interactive) output.aside("Lares. Type a message; /help lists the commands; Ctrl-D leaves.\n");
    else onInterrupt(conversation);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => lines.close());
    reached.app?.resume(conversation.sessionId());
    const onRefused = (message: string) => output.aside(`${harmless(message)}\n`);
    await chat({ conversation, lines, interactive, say: output.aside, onRefused });
    conversation.close();
    return exitCodes.ok;
  });
}

/** What a crash left, and what becomes of it. */
async function recoverLeft(cli: CliArguments, open: Open): Promise<number> {
  let running: Conversation | undefined;
  onSignal(() => (running ? running.stop() : process.exit(exitCodes.stopped)));
  const isPerson = process.stdin.isTTY === true && output.live && !cli.json;
  return withRoad({ cli, output, open }, ({ road, idle }) =>
    recover({
      ...{ road, idle, output, json: cli.json, trace: cli.trace, session: cli.session, plan: cli.recovery },
      ...(isPerson && { ask: askPerson }),
      onRun(conversation) {
        running = conversation;
      },
    }),
  );
}

/** The page in a browser of this computer, until Ctrl-C; or the address of the one that is there. */
async function serve(cli: CliArguments, open: Open): Promise<number> {
  return withRoad({ cli, output, open }, async ({ road, app }) => {
    if (app) return servePage(cli, app);
    const { address } = await road.call("shell.newWindow", {});
    if (address === null) throw new AppError("data-busy", NO_PAGE);
    output.out(`Lares is open at ${address}\n`);
    if (cli.open) await openInBrowser(address, process.env);
    return exitCodes.ok;
  });
}

const NO_PAGE =
  "The Lares that is open shows no page in a browser. Use it where it is, in its window or its terminal, or close it first.";

async function servePage(cli: CliArguments, { desk, door, log, goOn }: App): Promise<number> {
  const pageFolder = findPageFolder();
  const leaving = new AbortController();
  onSignal(() => leaving.abort(), SAME_PRESS_MS);
  const lines = createInterface({ input: process.stdin });
  try {
    const browser = await serveBrowser({ desk, pageFolder, port: cli.port, log });
    door.offerPage(browser.issueAddress);
    goOn();
    const { open } = cli;
    await attend({ browser, open, environment: process.env, lines, say: output.out, leave: leaving.signal });
    await browser.close();
    return exitCodes.ok;
  } finally {
    lines.close();
  }
}

/** Cloud models and their keys. */
async function cloud(cli: CliArguments, open: Open): Promise<number> {
  const input = () => readAll(process.stdin);
  const ask = process.stdin.isTTY === true ? askSecret : undefined;
  return withRoad({ cli, output, open }, ({ road, app }) =>
    cloudCommand({
      ...{ road, output, words: cli.words, flags: cli.away, json: cli.json, input, ask },
      endsNow: app !== undefined,
    }),
  );
}

/** What left this computer. */
async function network(cli: CliArguments, open: Open): Promise<number> {
  const { words, json, away } = cli;
  return withRoad({ cli, output, open }, ({ road }) => networkCommand({ road, output, words, json, chat: away.chat }));
}

/** Beside whoever uses the data folder: nothing waits, and nothing is changed. */
async function doctor({ dataFolder, full, json }: CliArguments): Promise<number> {
  const report = examine(dataFolder, { full });
  output.out(json ? `${JSON.stringify(report)}\n` : harmless(doctorText(report)));
  return doctorCode(report);
}

/** Ctrl-C pauses a download. */
async function manageModels(cli: CliArguments, open: Open): Promise<number> {
  const leaving = new AbortController();
  onSignal(() => leaving.abort());
  const { json, words } = cli;
  return withRoad({ cli, output, open }, ({ road }) => models({ road, output, json, words, signal: leaving.signal }));
}

/** Ctrl-C stops the answer and keeps what was written; a second one leaves at once. */
function onInterrupt(conversation: Conversation): void {
  onSignal(() => conversation.stop());
}

/** The first signal asks nicely; a second one leaves at once, unless it comes so soon that it is the same one. */
function onSignal(first: () => void, sameMs = 0): void {
  let asked: number | undefined;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (asked === undefined) first();
      else if (monotonicMs() - asked >= sameMs) process.exit(exitCodes.stopped);
      asked ??= monotonicMs();
    });
  }
}

/** One Ctrl-C comes twice under npm: from the terminal, and from npm, which passes its own on. */
const SAME_PRESS_MS = 300;

const commands: Readonly<Record<Command, (cli: CliArguments, open: Open) => Promise<number>>> = {
  ask,
  chat: converse,
  serve,
  recover: recoverLeft,
  doctor,
  models: manageModels,
  cloud,
  network,
};
