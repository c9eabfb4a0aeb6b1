import { basename } from "node:path";
import type { HubFile, MemoryParts } from "../../shared/views.ts";
import { ModelFileName } from "./catalogue.ts";
import type { Found, Hub, Repository, StoredFile } from "./hub.ts";
import { isLaterPart, partNames } from "./parts.ts";

/** What a file of so many bytes would take, and how that goes with this computer. */
export type Weigh = (bytes: number) => { memory: MemoryParts; fit: HubFile["fit"] };

/** Looked at together: a search is one click, and its answer is waited for. */
const AT_ONCE = 4;
const MOST_SHOWN = 300;

/** The model files that the hub finds by name, the most downloaded repositories first, small files before large ones. Throws AppError. */
export async function searchHub(hub: Hub, words: string, weigh: Weigh, signal: AbortSignal): Promise<HubFile[]> {
  const found = await hub.search(words, signal);
  const files: HubFile[] = [];
  let failure: unknown;
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const some = found.slice(at, at + AT_ONCE);
    const looked = await Promise.allSettled(some.map(({ name }) => hub.describe(name, "main", signal)));
    for (const [index, result] of looked.entries()) {
      const one = some[index];
      if (result.status === "rejected") failure = result.reason;
      else if (one) files.push(...filesOf(result.value, one, weigh));
    }
  }
  if (files.length === 0 && failure !== undefined) throw failure;
  return files.slice(0, MOST_SHOWN);
}

/** Models only: what sees, hears or only helps to quantise is none. */
const noModel = /mmproj|imatrix|^ggml-vocab|draft/i;

function filesOf(repository: Repository, { downloads }: Found, weigh: Weigh): HubFile[] {
  const files = repository.files.filter(({ path }) => {
    const name = basename(path);
    return ModelFileName.safeParse(name).success && !isLaterPart(name) && !noModel.test(name);
  });
  const described = files.flatMap((file) => describeFile(file, repository, weigh) ?? []);
  const more = { ...(repository.licence !== undefined && { licence: repository.licence }) };
  return described
    .sort((one, other) => one.bytes - other.bytes)
    .map((file) => ({ ...file, ...more, ...(downloads !== undefined && { downloads }) }));
}

function describeFile({ path }: StoredFile, repository: Repository, weigh: Weigh): HubFile | undefined {
  const parts = partNames(path).map((part) => repository.files.find((file) => file.path === part));
  const whole = parts.filter((part) => part !== undefined);
  if (whole.length < parts.length) return undefined; // a part is missing there: nobody could load it
  const bytes = whole.reduce((sum, part) => sum + part.bytes, 0);
  const { memory, fit } = weigh(bytes);
  const quantisation = quantisationOf(basename(path));
  return {
    ...{ repository: repository.name, file: path, parts: parts.length, bytes, fit },
    ...(quantisation !== undefined && { quantisation }),
    memoryBytes: memory.weights + memory.cache + memory.compute,
  };
}

/** As it is written in the name: Q4_K_M. */
export function quantisationOf(name: string): string | undefined {
  return /(?:^|[-_.])(I?Q\d(?:_[A-Z\d]{1,3})*|TQ\d_\d|BF16|F16|F32|MXFP4)(?=[-_.]|$)/i.exec(name)?.[1]?.toUpperCase();
}
