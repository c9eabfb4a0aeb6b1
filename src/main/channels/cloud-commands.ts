import type { CloudOverview, ConnectionView, OfferedModel, VendorView } from "../../shared/cloud.ts";
import { VaultTier } from "../../shared/cloud.ts";
import { AppError, fromWire, toAppError } from "../../shared/errors.ts";
import { exitCodes } from "../../shared/exit-codes.ts";
import { harmless } from "./harmless.ts";
import type { Road } from "./road.ts";
import type { Output } from "./terminal.ts";

/** What the flags of `cloud` and `network` say. */
export interface AwayFlags {
  readonly url?: string;
  readonly name?: string;
  /** Tokens. */
  readonly window?: number;
  readonly chat?: string;
}

export interface CloudCommandOptions {
  readonly road: Pick<Road, "call">;
  readonly output: Pick<Output, "out" | "aside">;
  readonly words: readonly string[];
  readonly flags: AwayFlags;
  readonly json: boolean;
  /** Lares ends with this command: what is kept in memory only is gone then. */
  readonly endsNow: boolean;
  /** All that comes on standard input. */
  readonly input: () => Promise<string>;
  /** Asks the person; undefined in its place: there is none. What it gives is undefined when they left. */
  readonly ask: Ask | undefined;
}

type Ask = (question: string) => Promise<string | undefined>;
type Action = (options: CloudCommandOptions, ...words: string[]) => Promise<void>;

/** Each action, with the words that follow it. */
const actions: Readonly<
  Record<string, { readonly words: readonly string[]; readonly run: Action; readonly most?: number }>
> = {
  list: { words: [], run: list },
  add: { words: ["VENDOR"], run: add },
  test: { words: ["NAME"], run: test },
  use: { words: ["NAME", "MODEL"], run: use },
  key: { words: ["NAME"], run: setKey },
  remove: { words: ["NAME"], run: remove },
  vault: { words: [], most: 1, run: vault },
};

/** `lares cloud`: connections, their keys and their models. A key comes on standard input, never as a word. Throws AppError. */
export async function cloudCommand(options: CloudCommandOptions): Promise<number> {
  const [name = "list", ...words] = options.words;
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action) throw new AppError("bad-request", `cloud has no "${name}". It has: ${Object.keys(actions).join(", ")}.`);
  const { words: wanted, most = wanted.length, run } = action;
  if (words.length < wanted.length || words.length > most)
    throw new AppError(
      "bad-request",
      `It is: cloud ${[name, ...wanted].join(" ")}. A key is never a word: it comes on standard input.`,
    );
  await run(options, ...words);
  return exitCodes.ok;
}

const overviewOf = ({ road }: CloudCommandOptions): Promise<CloudOverview> => road.call("cloud.overview", {});

async function list(options: CloudCommandOptions): Promise<void> {
  const { json, output } = options;
  const overview = await overviewOf(options);
  if (json) return output.out(`${JSON.stringify({ type: "cloud", ...overview })}\n`);
  const { connections, presets } = overview;
  for (const one of connections) {
    output.out(harmless(`${one.name}  ${one.host}  (${one.place}, key: ${keyWords[one.key]})\n`));
    for (const preset of presets.filter(({ connectionId }) => connectionId === one.id))
      output.out(harmless(`  ${preset.name}  ${preset.model}, ${preset.window} tokens\n`));
  }
  if (connections.length === 0)
    output.out(`There is no connection yet. cloud add VENDOR makes one: ${vendorsIn(overview)}.\n`);
  output.out(vaultWords(overview));
}

const keyWords: Readonly<Record<ConnectionView["key"], string>> = {
  none: "none",
  kept: "kept",
  locked: "locked",
  unreadable: "cannot be opened; give it again",
};

const vendorsIn = ({ vendors }: CloudOverview): string => vendors.map(({ id }) => id).join(", ");

const vaultWords = ({ vault: { tier, backend, locked, reason } }: CloudOverview): string =>
  `Keys: ${tier} (${backend})${locked ? ", locked" : ""}.${reason === undefined ? "" : ` ${harmless(reason)}`}\n`;

async function add(options: CloudCommandOptions, vendorId: string): Promise<void> {
  const { road, output, flags } = options;
  const overview = await overviewOf(options);
  const vendor = overview.vendors.find(({ id }) => id === vendorId);
  if (!vendor)
    throw new AppError("bad-request", `There is no vendor "${vendorId}". There are: ${vendorsIn(overview)}.`);
  if (vendor.baseUrl === "" && flags.url === undefined)
    throw new AppError("bad-request", `Where does it answer? --url names the address.`);
  const name = freeName(flags.name ?? vendor.name, overview);
  const key = await readKey(options, overview, vendor);
  const wanted = { vendor: vendor.id, name, baseUrl: flags.url, key };
  const { baseUrl } = await road.call("cloud.connect", wanted);
  output.out(
    `${name} is added (${new URL(baseUrl).host}). Next: cloud test "${name}", then cloud use "${name}" MODEL.\n`,
  );
}

function freeName(name: string, { connections }: CloudOverview): string {
  if (!connections.some((one) => one.name === name)) return name;
  throw new AppError("bad-request", `There is a connection "${name}" already. --name gives this one another name.`);
}

/** A key from standard input, or from the person. Undefined: none, where none is needed. Asks for the passphrase first. */
async function readKey(
  options: CloudCommandOptions,
  overview: CloudOverview,
  vendor: VendorView | undefined,
): Promise<string | undefined> {
  const { input, ask, endsNow } = options;
  const needsKey = vendor?.needsKey ?? true;
  const question = `The key of ${vendor?.name ?? "this connection"}${needsKey ? "" : " (empty: none)"}: `;
  const key = ask ? await ask(question) : await input();
  if (key === undefined) throw new AppError("aborted", "Nothing was changed.");
  if (key.trim() === "" && !needsKey) return undefined;
  if (key.trim() === "") throw new AppError("bad-request", "There is no key on standard input. Nothing was changed.");
  if (overview.vault.tier === "session" && endsNow) throw new AppError("bad-request", LOST);
  if (ask) await unlockKeys(options.road, ask);
  return key;
}

const LOST =
  "Keys are kept in memory only, and this command ends at once: the key would be lost. First choose how they are kept: npm run -s cloud -- vault passphrase";

/** Opens the keys, where that takes a passphrase. Throws aborted, key-locked. */
export async function unlockKeys(road: Pick<Road, "call">, ask: Ask): Promise<void> {
  const { vault } = await road.call("cloud.overview", {});
  if (!vault.locked || vault.tier !== "passphrase") return;
  const passphrase = await ask("The passphrase of your keys: ");
  if (passphrase === undefined) throw new AppError("aborted", "Nothing was changed.");
  await road.call("vault.unlock", { passphrase });
}

async function found(options: CloudCommandOptions, name: string): Promise<ConnectionView> {
  const overview = await overviewOf(options);
  const { connections } = overview;
  const one = connections.find(({ id }) => id === name) ?? connections.find((each) => each.name === name);
  if (!one) {
    throw new AppError("not-found", noConnection(name, overview));
  }
  if (one.key === "locked" && options.ask) await unlockKeys(options.road, options.ask);
  return one;
}

function noConnection(name: string, { connections }: CloudOverview): string {
  const known = connections.map((each) => each.name).join(", ");
  return `There is no connection "${name}". ${known === "" ? "There is none yet: cloud add VENDOR makes one." : `There are: ${known}.`}`;
}

async function test(options: CloudCommandOptions, name: string): Promise<void> {
  const { id: connectionId, host } = await found(options, name);
  const { ok, error } = await options.road.call("cloud.test", { connectionId });
  if (!ok) throw error ? fromWire(error) : new AppError("provider-failed", `${host} did not answer.`);
  options.output.out(`${name} answers, and takes the key.\n`);
}

async function use(options: CloudCommandOptions, name: string, model: string): Promise<void> {
  const { road, output, flags } = options;
  const { id: connectionId } = await found(options, name);
  const offered = await offeredOf(options, connectionId, model);
  const window = flags.window ?? offered?.window;
  if (window === undefined)
    throw new AppError("bad-request", `${name} does not say how much ${model} reads. Say it: --window TOKENS.`);
  const { presets } = await overviewOf(options);
  const before = presets.find((one) => one.connectionId === connectionId && one.model === model);
  const preset = {
    ...(before ?? { name: model, connectionId, model }),
    ...{ window, maxOutputTokens: Math.min(offered?.maxOutputTokens ?? 8192, Math.floor(window / 2)) },
    ...{ vision: offered?.vision ?? false, tools: offered?.tools ?? true },
  };
  const saved = await road.call("cloud.savePreset", { preset });
  const isShared = presets.some((one) => one.name === saved.name && one.id !== saved.id);
  const called = isShared ? saved.id : saved.name;
  output.out(harmless(`${saved.name} can be asked now: npm run -s chat -- --cloud "${called}"\n`));
}

/** What the vendor says of a model; undefined: it says nothing. A model that it does not have is refused. */
async function offeredOf(
  { road, output, flags }: CloudCommandOptions,
  connectionId: string,
  model: string,
): Promise<OfferedModel | undefined> {
  try {
    const { models } = await road.call("cloud.models", { connectionId });
    const offered = models.find(({ id }) => id === model);
    if (offered || models.length === 0) return offered;
    const near = models.filter(({ id }) => id.includes(model)).map(({ id }) => id);
    const some = (near.length > 0 ? near : models.map(({ id }) => id)).slice(0, 12).join(", ");
    throw new AppError("model-gone", `There is no model "${model}" there. There are: ${some}.`);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "model-gone" || flags.window === undefined) throw error;
    output.aside(`${harmless(error.message)} The model is taken as you named it.\n`);
    return undefined;
  }
}

async function setKey(options: CloudCommandOptions, name: string): Promise<void> {
  const { id: connectionId } = await found(options, name);
  const key = await readKey(options, await overviewOf(options), undefined);
  await options.road.call("cloud.setKey", { connectionId, key: key ?? "" });
  options.output.out(`The new key of ${name} is kept.\n`);
}

async function remove(options: CloudCommandOptions, name: string): Promise<void> {
  const overview = await overviewOf(options);
  const one = overview.connections.find((each) => each.id === name || each.name === name);
  if (!one) throw new AppError("not-found", noConnection(name, overview));
  await options.road.call("cloud.disconnect", { connectionId: one.id });
  options.output.out(`${one.name} is removed, with its key and its models.\n`);
}

async function vault(options: CloudCommandOptions, wanted?: string): Promise<void> {
  const { road, output, ask } = options;
  if (wanted === undefined) return output.out(vaultWords(await overviewOf(options)));
  const tier = VaultTier.safeParse(wanted).data;
  if (!tier) throw new AppError("bad-request", `Keys are kept by ${VaultTier.options.join(", ")}; not by "${wanted}".`);
  if (ask && tier !== "passphrase") await unlockKeys(road, ask);
  await road.call("vault.choose", {
    tier,
    passphrase: tier === "passphrase" ? await newPassphrase(options) : undefined,
  });
  output.out(vaultWords(await overviewOf(options)));
}

async function newPassphrase({ input, ask }: CloudCommandOptions): Promise<string> {
  if (!ask) return (await input()).replace(/\r?\n$/, "");
  const first = await ask("A passphrase for your keys (nobody can give it back to you): ");
  if (first === undefined) throw new AppError("aborted", "Nothing was changed.");
  if (first === (await ask("Once more: "))) return first;
  throw new AppError("bad-request", "The two are not the same. Nothing was changed.");
}
