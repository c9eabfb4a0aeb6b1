import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { openAppStore } from "../../src/main/app-store.ts";
import { backUp } from "../../src/main/db/backup.ts";
import { lookAt, rebuildSearch } from "../../src/main/db/maintenance/jobs.ts";
import { needsRebuild, needsRescue, toLook } from "../../src/main/db/maintenance/looks.ts";
import { readRescues, rescueMark } from "../../src/main/db/maintenance/rescues.ts";
import { silentLog } from "../../src/main/lib/log.ts";
import { seeded } from "../support/seeded.ts";
import { type DamageKind, damageKinds } from "./damage-kinds.ts";
import { fillStore } from "./damaged-store.ts";

export interface DamageOptions {
  readonly seed?: number;
  /** So many kinds, spread from end to end; absent: all. */
  readonly kinds?: number | undefined;
  /** Of single bits, anywhere. */
  readonly flips?: number | undefined;
  /** Of both together, in place of `kinds` and `flips`. */
  readonly cases?: number | undefined;
  /** Only this one. */
  readonly only?: number | undefined;
  /** Nothing looks at the data: what it does not find has to show. */
  readonly blind?: boolean;
}

export interface DamageRow {
  readonly name: string;
  readonly cases: number;
  /** Cases in which less came back than can be asked. */
  readonly lost: number;
  readonly doubled: number;
  /** Cases in which Lares did not open, stayed damaged, or deleted something. */
  readonly corrupt: number;
  /** Changes of what was said that nobody noticed. */
  readonly undetected: number;
  readonly notes: readonly string[];
}

const FLIPS = 400;
/** Of the store in which pages are damaged, and of that in which bits are: there a case is as good with fewer. */
const ROWS = 500;
const ROWS_OF_FLIPS = 120;
/** Of the rows, with at most three bad pages. */
const LEAST_RECOVERED = 0.95;
/** Of the silent changes. */
const LEAST_DETECTED = 0.95;

interface Verdict {
  readonly name: string;
  readonly wrong: readonly string[];
  /** Share of the messages that are what they were. */
  readonly recovered: number;
  readonly isLost: boolean;
  /** Something that was said was changed in the file. */
  readonly changed: boolean;
  readonly noticed: boolean;
}

/** Damages a database in every way, lets Lares open it, and measures what is left of it. Nothing but the files is damaged. */
export async function runDamage(options: DamageOptions = {}): Promise<DamageRow> {
  const { seed = 1, only, blind = false } = options;
  const place = mkdtempSync(join(tmpdir(), "lares-damage-"));
  try {
    const whole = join(place, "whole.db");
    const small = join(place, "small.db");
    fillStore(whole, { rows: ROWS, seed });
    fillStore(small, { rows: ROWS_OF_FLIPS, seed, chats: 3 });
    const flips = Array.from({ length: options.flips ?? FLIPS }, (_, at) => aFlip(at));
    const all = chosen(spread(damageKinds, options.kinds), flips, options);
    const left = all.map((kind, at) => ({ kind, at })).filter(({ at }) => only === undefined || only === at);
    const verdicts: Verdict[] = [];
    const worker = async () => {
      for (let next = left.shift(); next; next = left.shift()) {
        const { kind, at } = next;
        const scene = { place, whole: flips.includes(kind) ? small : whole, seed: seed * 10_000 + at, at, blind };
        verdicts.push(await aCase(kind, scene));
      }
    };
    await Promise.all([worker(), worker()]);
    return sumUp(verdicts, seed, all);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function chosen(kinds: readonly DamageKind[], flips: readonly DamageKind[], { cases }: DamageOptions) {
  if (cases === undefined) return [...kinds, ...flips];
  return [...spread(kinds, Math.ceil(cases / 2)), ...flips.slice(0, Math.floor(cases / 2))];
}

function spread<T>(list: readonly T[], count = list.length): T[] {
  const wanted = Math.min(count, list.length);
  return Array.from({ length: wanted }, (_, at) => list[Math.floor((at * list.length) / wanted)] as T);
}

const aFlip = (number: number): DamageKind => ({
  name: `bit ${number}`,
  pages: 1,
  damage(file, random) {
    const bytes = readFileSync(file);
    const at = random.between(0, bytes.length - 1);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.between(0, 7));
    writeFileSync(file, bytes);
  },
});

const textIn = (row: string): unknown => Object(JSON.parse(row)).parts;

interface Place {
  readonly place: string;
  readonly whole: string;
  readonly seed: number;
  readonly at: number;
  readonly blind: boolean;
}

/** Every other case has a backup of the day before. */
async function aCase(kind: DamageKind, { place, whole, seed, at, blind }: Place): Promise<Verdict> {
  const dataFolder = join(place, `case-${at}`);
  const file = join(dataFolder, "lares.db");
  mkdirSync(dataFolder);
  copyFileSync(whole, file);
  const hasBackup = at % 2 === 1;
  if (hasBackup) backUp({ file, folder: join(dataFolder, "backups"), kind: "daily", now: Date.UTC(2026, 10, 30) });
  kind.damage(file, seeded(seed));
  const damaged = existsSync(file) ? readFileSync(file) : undefined;
  const before = saidIn(whole);
  const wrong: string[] = [];
  const noticed = await openAndMend(dataFolder, wrong, blind);
  const after = saidIn(file);
  if (damaged && !isKept(dataFolder, file, damaged.length)) wrong.push("a file is gone");
  const same = [...before.messages].filter(([id, row]) => after.messages.get(id) === row).length;
  const recovered = same / before.messages.size;
  const isLost = kind.pages !== undefined && kind.pages <= 3 && recovered < LEAST_RECOVERED;
  const said = new Set([...before.messages.values()].map(textIn));
  const untold = [...after.messages.values()].some(
    (row) => !said.has(textIn(row)) && !/data-damaged|"turn-running"/.test(row), // what was still written may be closed
  );
  const changed = recovered < 1 || before.rest !== after.rest;
  rmSync(dataFolder, { recursive: true, force: true });
  return { name: kind.name, wrong, recovered, isLost, changed: changed || noticed, noticed: noticed && !untold };
}

/** What a person does, in effect: opens the app, lets it look at its data, and starts it once more where it asks for that. */
async function openAndMend(dataFolder: string, wrong: string[], blind: boolean): Promise<boolean> {
  const file = join(dataFolder, "lares.db");
  const open = async () => {
    const { store, storage, release } = await openAppStore({
      dataFolder,
      log: silentLog,
      mustOpen: "always",
      waitMs: 1_000,
    });
    if (storage.mode !== "normal") wrong.push(`storage is ${storage.mode}: ${storage.error?.message}`);
    store.close();
    release();
    return storage.mode === "normal";
  };
  try {
    if (!(await open())) return true;
    if (blind) return readRescues(dataFolder, 0).length > 0;
    const look = toLook(lookAt({ file, depth: "full" }), 1);
    const noticed = look.problems.length > 0 || readRescues(dataFolder, 0).length > 0;
    if (needsRebuild(look)) rebuild(dataFolder, file);
    else if (look.problems.length > 0) rescueMark(dataFolder).set(needsRescue([look]));
    if (rescueMark(dataFolder).isSet()) await open();
    const left = lookAt({ file, depth: "full" }).problems;
    wrong.push(...left.slice(0, 3).map(({ code, text }) => `${code}: ${text}`));
    return noticed;
  } catch (thrown) {
    wrong.push(thrown instanceof Error ? `${thrown.message}` : String(thrown));
    return true;
  }
}

/** Where the indexes cannot be made anew, the next start rescues the rows. */
function rebuild(dataFolder: string, file: string): void {
  try {
    rebuildSearch({ file });
  } catch {
    rescueMark(dataFolder).set(true);
  }
}

/** The damaged file is where it was, or whole in the folder of damaged ones. */
function isKept(dataFolder: string, file: string, size: number): boolean {
  const folder = join(dataFolder, "damaged");
  if (!existsSync(folder)) return existsSync(file);
  const kept = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("lares.db"));
  return existsSync(file) && (size === 0 || kept.length > 0);
}

/** What people and the assistant said, row by row; and titles, drafts and what waits, as one text. */
function saidIn(file: string): { messages: Map<number, string>; rest: string } {
  try {
    const sqlite = new Sqlite(file, { readonly: true });
    const rows = sqlite.prepare("SELECT id, role, kind, turn_id, session_id, parts FROM message").all() as {
      id: number;
    }[];
    const texts = [
      "SELECT id, title FROM session ORDER BY id",
      "SELECT id, text FROM inbound ORDER BY id",
      "SELECT chat_id, text FROM draft ORDER BY chat_id",
      "SELECT turn_id, id, name, summary FROM tool_call ORDER BY turn_id, id",
    ].map((sql) => JSON.stringify(sqlite.prepare(sql).all()));
    sqlite.close();
    return { messages: new Map(rows.map((row) => [row.id, JSON.stringify(row)])), rest: texts.join() };
  } catch {
    return { messages: new Map(), rest: "" }; // counted as lost
  }
}

function sumUp(verdicts: readonly Verdict[], seed: number, all: readonly DamageKind[]): DamageRow {
  const changed = verdicts.filter(({ changed }) => changed);
  const undetected = changed.filter(({ noticed }) => !noticed);
  const shares = verdicts.filter(({ recovered }) => recovered > 0).map(({ recovered }) => recovered);
  const few = verdicts.filter(({ name }) => (all.find((kind) => kind.name === name)?.pages ?? 9) <= 3);
  const least = Math.min(1, ...few.map(({ recovered }) => recovered));
  const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  const tooMany = undetected.length > Math.max(1, changed.length * (1 - LEAST_DETECTED));
  const percent = (share: number) => `${(share * 100).toFixed(2)} %`;
  const bad = verdicts.filter(({ wrong, isLost }) => wrong.length > 0 || isLost);
  const again = (name: string) =>
    `again: --only damage --case ${all.findIndex((kind) => kind.name === name)} --seed ${seed}`;
  return {
    name: "damage",
    cases: verdicts.length,
    lost: verdicts.filter(({ isLost }) => isLost).length,
    doubled: 0,
    corrupt: verdicts.filter(({ wrong }) => wrong.length > 0).length + (tooMany ? 1 : 0),
    undetected: undetected.length,
    notes: [
      `${changed.length} changed something, ${changed.length - undetected.length} of them noticed`,
      `with at most three bad pages at least ${percent(least)} of the messages came back; of all cases ${percent(mean)} on average`,
      ...undetected.slice(0, 20).map(({ name }) => `not noticed: ${name}; ${again(name)}`),
      ...bad
        .slice(0, 20)
        .map(({ name, wrong, recovered }) => `${name} (${percent(recovered)}): ${wrong.join("; ")}; ${again(name)}`),
    ],
  };
}
