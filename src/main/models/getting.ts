import { AppError } from "../../shared/errors.ts";
import type { FetchState, HubFile } from "../../shared/views.ts";
import type { ModelEntry } from "./catalogue.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { Download } from "./download.ts";
import { type HubFileName, orderHubFile } from "./hub-file.ts";
import { searchHub } from "./hub-search.ts";

/** Getting models out of the network. Each call is a person's click, and their word that this one goes out. */
export function gettingCalls(parts: DeskParts) {
  const { folder, catalogue, hub, downloads, scale, patience } = parts;
  let ordering: Promise<unknown> = Promise.resolve();

  async function download(modelId: string): Promise<Download> {
    const known = downloads.get(modelId);
    if (known) return known;
    const entry = (await parts.entries()).find(({ id }) => id === modelId);
    if (entry) return downloads.of(entry);
    throw new AppError("not-found", `There is no model "${modelId}" to fetch. Choose one of the list.`);
  }

  /** One after the other: two orders must not take the same name. */
  async function order(file: HubFileName): Promise<ModelEntry> {
    const mine = ordering.then(() => orderHubFile(file, { folder, catalogue, hub, signal: patience() }));
    ordering = mine.catch(() => undefined);
    return mine;
  }

  return {
    /** Starts, or goes on where a pause left off. Throws not-found. */
    fetch: async (modelId: string): Promise<void> => (await download(modelId)).start(),
    /** A file of the hub; it has an id of its own from then on. Throws bad-request, not-found, offline, … */
    async fetchFile(file: HubFileName): Promise<{ modelId: string }> {
      const entry = await order(file);
      downloads.of(entry).start();
      return { modelId: entry.id };
    },
    pause: (modelId: string): void => downloads.get(modelId)?.pause(),
    /** Throws away what came. Throws not-found. */
    async cancel(modelId: string): Promise<void> {
      await (await download(modelId)).cancel();
      downloads.forget(modelId);
    },
    /** What the hub has by this name. */
    search: (query: string): Promise<HubFile[]> => searchHub(hub, query, scale.guess, patience()),
    /** Downloads of this run of the app. */
    fetches: (): FetchState[] => downloads.states(),
  };
}
