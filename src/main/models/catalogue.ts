import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { foldersAbove } from "../lib/folders-above.ts";

/** Where a model file can be had. Every source is checked by a hash that is known before, so none has to be trusted. */
export const ModelSource = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("hub"), repository: z.string(), revision: z.string(), file: z.string() }),
  z.strictObject({ kind: z.literal("python-package"), name: z.string(), version: z.string(), member: z.string() }),
]);
export type ModelSource = z.infer<typeof ModelSource>;
export type HubSource = Extract<ModelSource, { kind: "hub" }>;

export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** A plain name: the file in the models folder. */
export const ModelFileName = z
  .string()
  .max(200)
  .regex(/^[\w][\w.-]*\.gguf$/i);

/** A model Lares knows: one file, or the first of several parts. */
export const ModelEntry = z.strictObject({
  id: z.string(),
  name: z.string(),
  licence: z.string().exactOptional(),
  file: ModelFileName,
  /** Exact where there is a hash; else about so many, until the hub has said it. */
  bytes: z.int().positive(),
  /** Absent: the hub is asked for it before the download. */
  sha256: Sha256.exactOptional(),
  /** Nobody who built this Lares could try it: the facts come from those who publish it. */
  untried: z.literal(true).exactOptional(),
  /** Good for everyone whom it fits well; of several the last. */
  suggested: z.literal(true).exactOptional(),
  parameters: z.int().positive().exactOptional(),
  /** The family of its chat template. */
  template: z.string().exactOptional(),
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
