import { arch, cpus, totalmem } from "node:os";
import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";
import type { ModelFile } from "./model-file.ts";
import type { ModelCard } from "./protocol.ts";
import { Card, FactsReply, type FileFacts } from "./replies.ts";

/** A place that outlives the process, so that a one-shot command remembers too: app.ts gives the settings table. */
export interface EngineMemory {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

/** The rung of the ladder that worked, for what was wanted then. */
const Ran = z.object({
  wanted: z.string(),
  rung: z.object({ gpuShare: z.number(), contextTokens: z.number() }),
  /** A graphics card was tried on the way. */
  hasGpu: z.boolean(),
  /** Bytes of memory that were free. */
  free: z.number(),
});
export type Ran = z.infer<typeof Ran>;

const Record = z.object({
  size: z.number(),
  changed: z.number(),
  /** How often the file crashed the child since its last good answer, and how it ended the last time. */
  crashes: z.int().nonnegative(),
  ending: z.string(),
  card: Card.optional(),
  facts: FactsReply.optional(),
  /** Tried with safer settings until it gives a good answer. */
  safer: z.boolean().default(false),
  ran: Ran.optional(),
  /** The computer that the card and the rung are true of. */
  machine: z.string().optional(),
});
type Record = z.infer<typeof Record>;

const machine = `${arch()} ${cpus()[0]?.model} ×${cpus().length} ${Math.round(totalmem() / 2 ** 30)} GB`;

/** What is known of each model file: its card, how it ran, and whether it is held back. One value a path; a changed file starts anew. */
export class ModelRecords {
  readonly #memory: EngineMemory;
  readonly #holdAfter: number;
  readonly #log: Log;

  constructor(memory: EngineMemory, holdAfter: number, log: Log) {
    this.#memory = memory;
    this.#holdAfter = holdAfter;
    this.#log = log;
  }

  card(file: ModelFile): ModelCard | undefined {
    return this.#read(file).card;
  }

  learn(file: ModelFile, card: ModelCard): void {
    const record = this.#read(file);
    if (JSON.stringify(record.card) !== JSON.stringify(card)) this.#write(file, { ...record, card });
  }

  /** What the file says of itself, as it was read before. */
  facts(file: ModelFile): FileFacts | undefined {
    return this.#read(file).facts;
  }

  learnFacts(file: ModelFile, facts: FileFacts): void {
    this.#write(file, { ...this.#read(file), facts });
  }

  /** How the file ran, when so much was given up that it is worth remembering. */
  ran(file: ModelFile): Ran | undefined {
    return this.#read(file).ran;
  }

  /** Without `ran` it runs as it is wanted. */
  learnRan(file: ModelFile, ran: Ran | undefined): void {
    const { ran: before, ...rest } = this.#read(file);
    if (ran || before) this.#write(file, { ...rest, ...(ran && { ran }) });
  }

  /** Whether the file is to be tried with safer settings. */
  isSafer(file: ModelFile): boolean {
    return this.#read(file).safer;
  }

  /** The file crashed the child: `ending` says how, for the person. */
  crashed(file: ModelFile, ending: string): void {
    const record = this.#read(file);
    this.#write(file, { ...record, crashes: record.crashes + 1, ending });
  }

  /** The file gave a good answer: earlier crashes are forgiven. */
  succeeded(file: ModelFile): void {
    const record = this.#read(file);
    if (record.crashes > 0 || record.safer) this.#write(file, { ...record, crashes: 0, safer: false });
  }

  /** AppError `model-held` when the file must not be loaded. */
  refusal(file: ModelFile): AppError | undefined {
    const { crashes, ending } = this.#read(file);
    if (crashes < this.#holdAfter) return undefined;
    return new AppError(
      "model-held",
      `${file.path} crashed the local engine ${crashes} times (${ending}) and is held back. ` +
        "Choose another model, or release it to try once more (--try-held).",
    );
  }

  /** Lets a file be loaded again, whatever it did. With a word on how, what was learnt of how it runs is forgotten. */
  release(path: string, safer: boolean | undefined): void {
    const record = this.#parse(path);
    if (!record || (record.crashes === 0 && safer === undefined)) return;
    const { ran, ...rest } = record;
    this.#write(
      { ...record, path },
      {
        ...rest,
        ...(safer === undefined && ran && { ran }),
        crashes: 0,
        safer: safer ?? record.safer,
      },
    );
  }

  #read(file: ModelFile): Record {
    const record = this.#parse(file.path);
    const isSame = record?.size === file.size && record.changed === file.changed;
    if (!record || !isSame) return { size: file.size, changed: file.changed, crashes: 0, ending: "", safer: false };
    if (record.machine === undefined || record.machine === machine) return record;
    const { card: _card, ran: _ran, ...rest } = record; // the data folder came over from another computer
    return rest;
  }

  #parse(path: string): Record | undefined {
    try {
      return Record.safeParse(JSON.parse(this.#memory.get(keyOf(path)) ?? "null")).data;
    } catch (thrown) {
      this.#log.warn("engine.record-unreadable", { reason: reasonOf(thrown) });
      return undefined;
    }
  }

  /** A full disk must not turn a crash of the child into one of the app. */
  #write(file: ModelFile, record: Record): void {
    try {
      this.#memory.set(keyOf(file.path), JSON.stringify({ ...record, machine }));
    } catch (thrown) {
      this.#log.warn("engine.record-not-kept", { reason: reasonOf(thrown) });
    }
  }
}

const keyOf = (path: string): string => `engine.model:${path}`;

/** A code or the error's class: its message may quote what was stored. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return "code" in thrown ? String(thrown.code) : thrown.name;
}
