import type { WireError } from "../../shared/errors.ts";
import type { FetchState, ModelCard } from "../../shared/views.ts";

/** Where a model is on its way to this computer. */
export interface Download {
  readonly state: "absent" | "queued" | "fetching" | "checking" | "paused" | "failed" | "here";
  /** Bytes. */
  readonly done: number;
  readonly total: number;
  readonly bytesPerSecond: number;
  readonly error?: WireError;
}

/**
 * The list tells what lies on the disk, the news of the download what happens now: news win, but a file that is here
 * is here, and one that was removed after it came is not.
 */
export function downloadOf(card: ModelCard, news: FetchState | undefined): Download {
  const onDisk = { state: card.state, done: card.done, total: card.bytes, bytesPerSecond: 0 };
  if (!news || card.state === "here" || news.state === "here") return onDisk;
  const { state, done, total, bytesPerSecond, error } = news;
  return { state, done, total: total || card.bytes, bytesPerSecond, ...(error && { error }) };
}

/** The model that a chat uses, as the list has it: its own choice, or else the default. */
export const cardOf = (cards: readonly ModelCard[], chosen: string | undefined): ModelCard | undefined =>
  chosen === undefined ? cards.find((card) => card.chosen) : cards.find(({ id }) => id === chosen);

/** A file given by its path is called by its last part. */
export const fileNameOf = (path: string): string => path.split(/[/\\]/).at(-1) ?? path;
