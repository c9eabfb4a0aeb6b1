import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, fromWire } from "../../shared/errors.ts";
import { exitCodes } from "../../shared/exit-codes.ts";
import type { FetchState, HubFile, ModelCard, ModelFacts } from "../../shared/views.ts";
import { harmless } from "./harmless.ts";
import type { Road } from "./road.ts";
import { createStatusLine, type Output } from "./terminal.ts";

export interface ModelsOptions {
  readonly road: Pick<Road, "call">;
  readonly output: Output;
  readonly json: boolean;
  /** What to do, and with what. */
  readonly words: readonly string[];
  /** The person wants to leave: a download is paused. */
  readonly signal: AbortSignal;
}

type Action = (about: string, options: ModelsOptions) => Promise<number>;

/**
 * `lares models`: lists, fetches, explains, chooses and removes models. Who types `get` or `search` lets that one thing out,
 * Local mode or not. Returns the exit code; throws AppError (bad-request, not-found, offline, hash-mismatch, …).
 */
export async function models(options: ModelsOptions): Promise<number> {
  const [name = "list", ...rest] = options.words;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new AppError("bad-request", `There is no "models ${name}". ${usage}`);
  const about = rest.join(" ");
  if (about === "" && name !== "list")
    throw new AppError("bad-request", `models ${name} needs one more word. ${usage}`);
  return action(about, options);
}

const usage = "There are: models list, get ID|OWNER/NAME/FILE, search WORDS, info ID|PATH, use ID|PATH, remove ID.";

const actions: Readonly<Record<string, Action>> = {
  async list(_about, { road, output, json }) {
    const { models: cards } = await road.call("models.list", {});
    if (json) for (const card of cards) tell(output, { type: "model", ...card });
    else output.out(table(cards.map(cardRow)));
    return exitCodes.ok;
  },
  get: async (about, options) => follow(await begin(about, options), options),
  async search(about, { road, output, json }) {
    const { files } = await road.call("models.search", { query: about });
    if (json) for (const file of files) tell(output, { type: "file", ...file });
    else if (files.length > 0) output.out(table(files.map(fileRow)));
    else output.aside(`The hub has no model file of that name: ${harmless(about)}\n`);
    return exitCodes.ok;
  },
  async info(about, { road, output, json }) {
    const facts = await road.call("models.explain", { path: placeOf(about) });
    if (json) tell(output, { type: "facts", ...facts });
    else output.out(harmless(factLines(facts)));
    return exitCodes.ok;
  },
  async use(about, { road, output, json }) {
    const { name } = await road.call("models.use", { model: placeOf(about) });
    if (json) tell(output, { type: "used", name });
    else output.out(`New chats use ${harmless(name)}.\n`);
    return exitCodes.ok;
  },
  async remove(about, { road, output, json }) {
    await road.call("models.remove", { modelId: placeOf(about) });
    if (json) tell(output, { type: "removed", modelId: about });
    else output.out(`${harmless(about)} is removed.\n`);
    return exitCodes.ok;
  },
};

const tell = (output: Output, event: object): void => output.out(`${JSON.stringify(event)}\n`);

/** A file where the person stands: the Lares that has the data may stand elsewhere. */
const placeOf = (about: string): string => (existsSync(about) ? resolve(about) : about);

/** Starts a download, and gives the id of the model. */
async function begin(about: string, { road }: ModelsOptions): Promise<string> {
  const [, repository, file] = /^([^/]+\/[^/]+)\/(.+)$/.exec(about) ?? [];
  if (repository !== undefined && file !== undefined) {
    return (await road.call("models.fetchFile", { repository, file })).modelId;
  }
  await road.call("models.fetch", { modelId: about });
  return about;
}

const LOOK_MS = 250;
const underWay: readonly FetchState["state"][] = ["queued", "fetching", "checking"];

/** Says how a download goes until it is over; the person's leaving pauses it. */
async function follow(modelId: string, options: ModelsOptions): Promise<number> {
  const { road, output, json, signal } = options;
  const status = createStatusLine(output);
  let told = "";
  for (let isPaused = false; ; ) {
    const { fetches } = await road.call("app.hello", {});
    const state = fetches.find((one) => one.modelId === modelId);
    if (!state) throw new AppError("not-found", `The download of ${modelId} is gone: it was cancelled elsewhere.`);
    if (json && told !== JSON.stringify(state)) tell(output, { type: "fetch", fetch: state });
    told = JSON.stringify(state);
    if (!underWay.includes(state.state)) {
      status.clear();
      return ended(state, options);
    }
    status.show(progressLine(state));
    if (signal.aborted && !isPaused) {
      isPaused = true;
      await road.call("models.pause", { modelId });
    }
    await sleep(LOOK_MS, undefined, isPaused ? {} : { signal }).catch(() => undefined); // woken to leave
  }
}

function ended({ modelId, state, total, error }: FetchState, { output, json }: ModelsOptions): number {
  if (error) throw fromWire(error);
  if (state === "paused") {
    output.aside(`Paused; what came is kept. npm run -s models -- get ${modelId} goes on with it.\n`);
    return exitCodes.stopped;
  }
  if (!json) output.out(`${modelId} is here (${size(total)}).\n`);
  return exitCodes.ok;
}

function progressLine({ state, done, total, bytesPerSecond }: FetchState): string {
  if (state === "queued") return "Waiting: others are fetched first";
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  const bytes = `${size(done)} of ${size(total)} (${percent} %)`;
  if (state === "checking") return `Checking: ${bytes}`;
  if (bytesPerSecond <= 0) return `Fetching: ${bytes}`;
  return `Fetching: ${bytes}, ${size(bytesPerSecond)}/s, ${duration((total - done) / bytesPerSecond)} left`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

const size = (bytes: number): string =>
  bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;

const fits = { well: "fits well", tight: "fits tightly", "too-big": "too big" } as const;

function cardRow({ id, state, done, bytes, fit, memoryBytes, chosen, suggested, untried, held, about }: ModelCard) {
  const percent = Math.floor((100 * done) / Math.max(1, bytes));
  const states = { absent: "", here: "here", fetching: `${percent} %`, paused: `paused at ${percent} %` } as const;
  const notes = [
    ...(chosen ? ["in use"] : []),
    ...(suggested ? ["suggested"] : []),
    ...(untried ? ["not tried by us"] : []),
    ...(held === undefined ? [] : [held]),
  ];
  return [id, states[state], size(bytes), fits[fit], `takes ${size(memoryBytes)}`, notes.join(", "), about?.en ?? ""];
}

function fileRow({ repository, file, bytes, quantisation = "", parts, licence = "", fit }: HubFile) {
  const count = parts > 1 ? `${parts} parts` : "";
  return [`${repository}/${file}`, quantisation, size(bytes), fits[fit], licence, count];
}

/** Columns as wide as what is in them; the text of others is shown, never obeyed. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ");
  return harmless(rows.map((row) => `${line(row).trimEnd()}\n`).join(""));
}

function factLines(facts: ModelFacts): string {
  const { memory } = facts;
  const sum = memory.weights + memory.cache + memory.compute;
  const parts = `weights ${size(memory.weights)}, cache ${size(memory.cache)}, working ${size(memory.compute)}`;
  const window = facts.largestWindow > 0 ? `; the largest window that fits: ${facts.largestWindow} tokens` : "";
  return [
    factsLine(facts),
    `${facts.path}, ${size(facts.bytes)}${facts.parts > 1 ? ` in ${facts.parts} parts` : ""}`,
    `It ${fits[facts.fit] === "too big" ? "is too big" : fits[facts.fit]}: it takes ${size(sum)} (${parts})${window}.`,
    "",
  ].join("\n");
}

/** Qwen 2.5, 1.5 B, Q4_K_M, 32k window, has tools */
function factsLine({
  name,
  architecture,
  parameters,
  quantisation,
  trainedWindow,
  tools,
  thinking,
  licence,
}: ModelFacts) {
  const billions = parameters === undefined ? [] : [`${(parameters / 1e9).toPrecision(2)} B`];
  return [
    ...[name, architecture, ...billions, ...(quantisation === undefined ? [] : [quantisation])],
    `${Math.round(trainedWindow / 1024)}k window`,
    tools ? "has tools" : "has no tools of its own",
    ...(thinking ? ["can think"] : []),
    ...(licence === undefined ? [] : [licence]),
  ].join(", ");
}
