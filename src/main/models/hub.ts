import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import type { Door, Fetch } from "../net/errand.ts";
import { Sha256 } from "./catalogue.ts";

/** A model file of a repository, as the hub's own large-file store describes it. */
export interface StoredFile {
  /** Within the repository. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A repository at one commit. */
export interface Repository {
  readonly name: string;
  readonly commit: string;
  readonly licence?: string;
  readonly files: readonly StoredFile[];
}

export interface Hub {
  /** Model files only; what the hub says badly of a file leaves that file out. Throws AppError (not-found, download-failed, offline, …). */
  describe(name: string, revision: string, signal: AbortSignal): Promise<Repository>;
  /** Repositories by what people write, the most downloaded first. Throws AppError. */
  search(words: string, signal: AbortSignal): Promise<Found[]>;
  /** Where a file is downloaded from. */
  address(file: { repository: string; revision: string; file: string }): string;
  /** Goes out for a download that the person asked for. */
  download(): Fetch;
}

export interface Found {
  readonly name: string;
  readonly downloads?: number;
}

/** More is not looked through: a person reads a list of names. */
const MOST_FOUND = 10;
const MOST_FILES = 2000;

/** Trouble of a moment, and how long to wait before each next try. */
const passing = [408, 425, 500, 502, 503, 504, 529];
const waitsMs = [500, 2000, undefined];

/** Names that mean the same to a file system, an address and a person. */
export const RepositoryName = z.string().regex(/^\w[\w.-]{0,95}\/\w[\w.-]{0,95}$/);
export const FilePath = z
  .string()
  .max(300)
  .regex(/^(?:\w[\w.-]*\/){0,4}\w[\w.-]{0,190}\.gguf$/i);
const Revision = z.string().regex(/^[\w][\w./-]{0,99}$/);
const Licence = z.string().regex(/^[\w .+-]{1,60}$/);

const Sibling = z
  .object({ rfilename: FilePath, lfs: z.object({ sha256: Sha256, size: z.int().positive() }) })
  .transform(({ rfilename, lfs }): StoredFile => ({ path: rfilename, bytes: lfs.size, sha256: lfs.sha256 }));
const Info = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  cardData: z.object({ license: Licence }).optional().catch(undefined),
  siblings: z.array(z.unknown()),
});
const Hit = z
  .object({ id: RepositoryName, downloads: z.int().nonnegative().optional().catch(undefined) })
  .transform(({ id, downloads }): Found => ({ name: id, ...(downloads !== undefined && { downloads }) }));

/** The model hub, or the mirror that HF_ENDPOINT names. What it answers is not believed before it was looked at. */
export function createHub({ door, environment }: { door: Door; environment: NodeJS.ProcessEnv }): Hub {
  const base = (environment.HF_ENDPOINT || "https://huggingface.co").replace(/\/+$/, "");
  const mirror = environment.HF_ENDPOINT && URL.canParse(base) ? { granted: new URL(base).origin } : {};
  const goOut = (purpose: "download" | "hub-search") => door.visit({ purpose, byHand: true, ...mirror }).fetch;

  async function ask(out: Fetch, path: string, signal: AbortSignal): Promise<unknown> {
    const url = `${base}${path}`;
    if (!URL.canParse(url)) throw new AppError("bad-request", `"${base}" is not a web address. Check HF_ENDPOINT.`);
    const { host } = new URL(url);
    for (const waitMs of waitsMs) {
      const response = await out(url, { headers: { accept: "application/json", "user-agent": "Lares" }, signal });
      if (response.status === 200) return parsed(host, await response.text());
      await response.body?.cancel();
      if (waitMs === undefined || !passing.includes(response.status)) throw refusal(host, response.status);
      await sleep(waitMs, undefined, { signal });
    }
  }

  async function describe(name: string, revision: string, signal: AbortSignal, out: Fetch): Promise<Repository> {
    RepositoryName.parse(name);
    const at = encodeURIComponent(Revision.parse(revision));
    const answer = await ask(out, `/api/models/${name}/revision/${at}?blobs=true`, signal);
    const info = Info.safeParse(answer).data;
    if (info === undefined) throw noHub(hostOf(base), `does not say what ${name} has`);
    const files = info.siblings.slice(0, MOST_FILES).flatMap((sibling) => Sibling.safeParse(sibling).data ?? []);
    return { name, commit: info.sha, ...(info.cardData && { licence: info.cardData.license }), files };
  }

  return {
    describe: (name, revision, signal) => describe(name, revision, signal, goOut("download")),
    async search(words, signal) {
      const query = new URLSearchParams({
        search: words,
        filter: "gguf",
        sort: "downloads",
        direction: "-1",
        limit: "10",
      });
      const answer = await ask(goOut("hub-search"), `/api/models?${query}`, signal);
      if (!Array.isArray(answer)) throw noHub(hostOf(base), "does not answer with a list");
      return answer.slice(0, MOST_FOUND).flatMap((hit) => Hit.safeParse(hit).data ?? []);
    },
    address: ({ repository, revision, file }) =>
      `${base}/${repository}/resolve/${encodeURIComponent(revision)}/${file.split("/").map(encodeURIComponent).join("/")}`,
    download: () => goOut("download"),
  };
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address);

const LOCKED =
  "lets nobody in here without an account: the model is private, wants its terms accepted first, or is not there. Use another one, or put the file into the models folder yourself";

const refusals: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  401: ["download-failed", LOCKED],
  403: ["download-failed", LOCKED],
  404: ["not-found", "does not have it. Check the name"],
  429: ["rate-limited", "has had too many requests. Try again later"],
};

function refusal(host: string, status: number): AppError {
  const [code, words] = refusals[status] ?? ["download-failed", "failed. Try again later"];
  return new AppError(code, `${host} ${words} (HTTP ${status}).`);
}

function parsed(host: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw noHub(host, "answers with something else than a hub: perhaps a sign-in page of this network", thrown);
  }
}

const noHub = (host: string, fault: string, cause?: unknown): AppError =>
  new AppError("download-failed", `${host} ${fault}. Try again later.`, cause);
