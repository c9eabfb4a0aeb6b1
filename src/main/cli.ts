import { createInterface, type Interface } from "node:readline/promises";
import { text as readAll } from "node:stream/consumers";
import { toAppError, toWire } from "../shared/errors.ts";
import { exitCodeOf, exitCodes } from "../shared/exit-codes.ts";
import { type App, createApp } from "./app.ts";
import { type CliArguments, readArguments, usage } from "./channels/arguments.ts";
import { attend } from "./channels/attend.ts";
import { findPageFolder, serveBrowser } from "./channels/browser.ts";
import { chat } from "./channels/chat.ts";
import { type Conversation, createConversation } from "./channels/conversation.ts";
import { harmless } from "./channels/harmless.ts";
import { createTerminalView, type Output } from "./channels/terminal.ts";
import { monotonicMs, newId } from "./lib/clock.ts";
import type { ModelEntry } from "./models/catalogue.ts";

const output: Output = {
  out: (text) => void process.stdout.write(text),
  aside: (text) => void process.stderr.write(text),
  live: process.stderr.isTTY === true,
};

/** Runs one command of the terminal and gives the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  let json = false;
  try {
    const cli = readArguments(argv, process.env);
    json = cli.json;
    if (cli.command === "help") {
      output.out(`${usage}\n`);
      return exitCodes.ok;
    }
    return await commands[cli.command](cli);
  } catch (thrown) {
    const error = toWire(toAppError(thrown));
    if (json) output.out(`${JSON.stringify({ type: "error", error })}\n`);
    output.aside(`${harmless(error.message)}\n`);
    return exitCodeOf({ error });
  }
}

/** Opens the app for as long as `work` takes. `lines`: where a person types already. */
async function withApp(cli: CliArguments, lines: Interface | undefined, work: (app: App) => Promise<number>) {
  const { command, dataFolder, workspace, model, tryHeld, waitSeconds, yes } = cli;
  const mayAsk = command !== "serve"; // the page has its own way to say yes
  const app = await createApp({
    dataFolder,
    workspace,
    chosen: model,
    tryHeld,
    waitMs: waitSeconds * 1000,
    onWait: () => output.aside(`Another Lares is using ${dataFolder}. Waiting up to ${waitSeconds} s for it to end…\n`),
    mayFetch: async (entry, signal) => yes || (mayAsk && (await askToFetch(entry, signal, lines))),
  });
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

/** The one question of a first start. Without a person to ask, or when they leave it, the answer is no. */
async function askToFetch(entry: ModelEntry, signal: AbortSignal, lines: Interface | undefined): Promise<boolean> {
  if (!process.stdin.isTTY || !output.live) return false;
  const { name, bytes, licence } = entry;
  const asking = lines ?? createInterface({ input: process.stdin, output: process.stderr });
  const left = new AbortController();
  const leave = () => left.abort("Ctrl-D");
  const stop = () => left.abort("Ctrl-C");
  asking.once("close", leave).once("SIGINT", stop);
  const question = `Lares needs a model. Fetch ${name} (${Math.round(bytes / 1e6)} MB, ${licence}) now? [Y/n] `;
  try {
    const answer = await asking.question(question, { signal: AbortSignal.any([signal, left.signal]) });
    return /^(y|yes|)$/i.test(answer.trim());
  } catch (thrown) {
    if (left.signal.reason === "Ctrl-D") return false;
    throw thrown;
  } finally {
    asking.off("close", leave).off("SIGINT", stop);
    if (!lines) asking.close();
  }
}

function start(app: App, { session, json, trace }: CliArguments): Conversation {
  const view = createTerminalView({ output, json, trace });
  const sessionId = session ?? newId();
  for (const { sessionId: of, what, text } of app.recovered) {
    if (of !== sessionId || json) continue;
    if (what === "undelivered") output.out(`${harmless(text)}\n`);
    else if (what === "draft") output.aside("Your last message in this chat was not answered: it is a draft now.\n");
    else output.aside("The last answer in this chat was interrupted. What was written of it is kept.\n");
  }
  return createConversation({ bus: app.bus, sessionId, newId, show: view.show });
}

async function ask(cli: CliArguments): Promise<number> {
  const text = cli.text === "-" ? await readAll(process.stdin) : cli.text;
  return withApp(cli, undefined, async (app) => {
    const conversation = start(app, cli);
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

async function converse(cli: CliArguments): Promise<number> {
  const interactive = process.stdin.isTTY === true;
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: interactive, prompt: "› " });
  lines[Symbol.asyncIterator](); // lines that come while the app opens are kept from here on
  return withApp(cli, lines, async (app) => {
    const conversation = start(app, cli);
    if (interactive) output.aside("Lares. Type a message; /help lists the commands; Ctrl-D leaves.\n");
    else onInterrupt(conversation);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => lines.close());
    app.resume(conversation.sessionId());
    const onRefused = (message: string) => output.aside(`${harmless(message)}\n`);
    await chat({ conversation, lines, interactive, say: output.aside, onRefused });
    conversation.close();
    return exitCodes.ok;
  });
}

/** The page in a browser of this computer, until Ctrl-C. */
async function serve(cli: CliArguments): Promise<number> {
  const pageFolder = findPageFolder();
  const leaving = new AbortController();
  onSignal(() => leaving.abort(), SAME_PRESS_MS);
  const lines = createInterface({ input: process.stdin });
  try {
    return await withApp(cli, lines, async ({ desk, log, goOn }) => {
      const browser = await serveBrowser({ desk, pageFolder, port: cli.port, log });
      goOn();
      const { open } = cli;
      await attend({ browser, open, environment: process.env, lines, say: output.out, leave: leaving.signal });
      await browser.close();
      return exitCodes.ok;
    });
  } finally {
    lines.close();
  }
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

const commands = { ask, chat: converse, serve };

process.stdout.on("error", () => process.exit(exitCodes.ok)); // whoever read the answer has gone
process.exitCode = await main(process.argv.slice(2));
