import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { foldersAbove } from "../lib/folders-above.ts";

/** Where a model file can be had. Every source is checked by the entry's own hash, so none has to be trusted. */
export const ModelSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("hub"), repository: z.string(), revision: z.string(), file: z.string() }),
  z.strictObject({ kind: z.literal("python-package"), name: z.string(), version: z.string(), member: z.string() }),
]);
export type ModelSource = z.infer<typeof ModelSource>;

/** A model Lares knows: one file, pinned by its size and its SHA-256. */
export const ModelEntry = z.strictObject({
  id: z.string(),
  name: z.string(),
  licence: z.string(),
  /** A plain name: the file in the models folder. */
  file: z.string().regex(/^[\w.-]+\.gguf$/),
  bytes: z.int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** What its cache takes beside the file: bytes for each token of the window, which is never longer than it was trained for. */
  memory: z.strictObject({ bytesPerToken: z.int().positive(), trainedTokens: z.int().positive() }).exactOptional(),
  /** What it is good at, by language. */
  about: z.strictObject({ en: z.string(), "zh-CN": z.string() }).exactOptional(),
  /** Tried in this order. */
  sources: z.array(ModelSource),
});
export type ModelEntry = z.infer<typeof ModelEntry>;

/** The catalogue that ships with Lares. The first entry is the starter model. */
export function readCatalogue(): ModelEntry[] {
  return z.array(ModelEntry).parse(JSON.parse(readFileSync(catalogueFile(), "utf8")));
}

/** The model that a first start fetches when nothing else was chosen. */
export function starterEntry(): ModelEntry {
  const [first] = readCatalogue();
  if (first === undefined) throw new Error("resources/models.json has no entry");
  return first;
}

function catalogueFile(): string {
  const file = foldersAbove.map((folder) => join(folder, "resources", "models.json")).find((path) => existsSync(path));
  if (file === undefined) throw new Error("resources/models.json is not part of this installation");
  return file;
}
