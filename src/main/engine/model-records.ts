import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";
import type { ModelFile } from "./model-file.ts";
import type { ModelCard } from "./protocol.ts";
import { Card } from "./replies.ts";

/** A place that outlives the process, so that a one-shot command remembers too: app.ts gives the settings table. */
export interface EngineMemory {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

const Record = z.object({
  size: z.number(),
  changed: z.number(),
  /** How often the file crashed the child since its last good answer, and how it ended the last time. */
  crashes: z.int().nonnegative(),
  ending: z.string(),
  card: Card.optional(),
});
type Record = z.infer<typeof Record>;

/** What is known of each model file: its card, and whether it is held back. One value a path; a changed file starts anew. */
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

  /** The file crashed the child: `ending` says how, for the person. */
  crashed(file: ModelFile, ending: string): void {
    const record = this.#read(file);
    this.#write(file, { ...record, crashes: record.crashes + 1, ending });
  }

  /** The file gave a good answer: earlier crashes are forgiven. */
  succeeded(file: ModelFile): void {
    const record = this.#read(file);
    if (record.crashes > 0) this.#write(file, { ...record, crashes: 0 });
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

  /** Lets a file be loaded again, whatever it did. */
  release(path: string): void {
    const record = this.#parse(path);
    if (record && record.crashes > 0) this.#write({ ...record, path }, { ...record, crashes: 0 });
  }

  #read(file: ModelFile): Record {
    const record = this.#parse(file.path);
    const isSame = record?.size === file.size && record.changed === file.changed;
    return record && isSame ? record : { size: file.size, changed: file.changed, crashes: 0, ending: "" };
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
      this.#memory.set(keyOf(file.path), JSON.stringify(record));
    } catch (thrown) {
      this.#log.warn("engine.record-not-kept", { reason: reasonOf(thrown) });
    }
  }
}

const keyOf = (path: string): string => `engine.model:${path}`;

/** A code or the error's class: its message may quote what was stored. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return "code" in thrown ? String(thrown.code) : thrown.name;
}
