import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { AppError, fromWire } from "../../shared/errors.ts";
import { requireFreeNames } from "./copy-model.ts";
import type { DeskParts } from "./desk-parts.ts";
import { listModels } from "./find-model.ts";
import { removeFile } from "./genuine.ts";
import { plainName } from "./model-cards.ts";
import { removeOrigin } from "./origin.ts";
import { removeParts } from "./part-folder.ts";
import { partNames } from "./parts.ts";
import { type WholeModel, wholeModel } from "./whole-model.ts";

/** Model files that are on this computer: using, adding and removing them. */
export function keepingCalls(parts: DeskParts) {
  const { folder, own, downloads, engine, scale, settings, changeSettings } = parts;

  /** Where the file of a model is, or would be. Throws not-found. */
  async function pathOf(modelId: string): Promise<string> {
    if (isAbsolute(modelId)) return modelId;
    const entries = await parts.entries();
    const file = entries.find(({ id }) => id === modelId)?.file ?? modelId;
    const known = [...entries.map((entry) => entry.file), ...(await listModels(folder))];
    if (known.includes(file)) return join(folder, file);
    throw new AppError("not-found", `There is no model "${modelId}". Choose one of the list.`);
  }

  /** Resolves when the copy is there. */
  async function copy(model: WholeModel): Promise<string> {
    requireFreeNames(model, folder);
    const download = downloads.copyOf(model);
    download.start();
    await download.settled();
    const { state, error } = download.state();
    const name = basename(model.path);
    if (state === "here") return name;
    throw error ? fromWire(error) : new AppError("aborted", `Copying ${name} was stopped.`);
  }

  return {
    /** Uses a file where it is, or copies it. Throws model-missing, model-invalid, model-unsupported, aborted, disk-full. */
    async add({ path, copy: isCopied }: { path: string; copy: boolean }): Promise<{ modelId: string }> {
      const model = await wholeModel(resolve(path));
      await scale.explain(model.path);
      if (dirname(model.path) === folder) return { modelId: basename(model.path) };
      if (isCopied) return { modelId: await copy(model) };
      own.add(model.path);
      return { modelId: model.path };
    },
    /** Makes a model the default for new chats. Throws model-missing, model-invalid. */
    async use(wanted: string): Promise<{ name: string }> {
      const { path: found, entry } = await parts.find(wanted);
      const { path } = await wholeModel(found);
      engine.release(path);
      const isInside = dirname(path) === folder;
      if (!isInside) own.add(path);
      changeSettings({ model: isInside ? (entry?.id ?? basename(path)) : path });
      return { name: entry?.name ?? plainName(path) };
    },
    /** The file is gone; one that is used where it is only leaves the list. Throws not-found. */
    async remove(modelId: string): Promise<void> {
      const path = await pathOf(modelId);
      await downloads.get(modelId)?.cancel();
      downloads.forget(modelId);
      await engine.unload(path); // some systems do not remove what is open
      if (dirname(path) === folder) await removeAll(folder, basename(path));
      else own.remove(path);
      if ([modelId, path, basename(path)].includes(settings().model ?? "")) changeSettings({ model: "" });
    },
    /** Lets a file be tried again that is held back. Throws not-found. */
    release: async (modelId: string, safer: boolean): Promise<void> => engine.release(await pathOf(modelId), { safer }),
  };
}

/** A model with all its parts, and what is remembered of it. */
async function removeAll(folder: string, file: string): Promise<void> {
  for (const name of partNames(file)) {
    await removeFile(join(folder, name));
    await removeParts(join(folder, name));
  }
  await removeOrigin(folder, file);
}
