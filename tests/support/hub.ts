import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, giveAnswer } from "./fault-server.ts";

/** A repository of the stand-in: its files by path, and what the hub says of it. */
export interface StandInRepository {
  readonly files: Readonly<Record<string, Buffer>>;
  readonly licence?: string;
  readonly downloads?: number;
  /** Replaces or adds to what the description says of it. */
  readonly description?: Readonly<Record<string, unknown>>;
}

export interface StandInHub {
  /** What HF_ENDPOINT is set to. */
  readonly url: string;
  /** Paths that were asked for, with the range, in order. */
  readonly requests: readonly string[];
  /** Bytes of files that left it. */
  readonly sent: number;
  /** What happens to the next requests for a file's bytes, one after the other; then all is well again. */
  fail(...answers: Answer[]): void;
  /** What happens to the next requests for anything else. */
  failCalls(...answers: Answer[]): void;
  /** Puts another file in the place of one, as a new commit does. */
  replace(repository: string, path: string, content: Buffer): void;
  close(): Promise<void>;
}

export interface StandInOptions {
  /** Where the large files are: another host, as it is in the world. Default: the same one. */
  readonly storage?: string;
  /** What a search answers instead of what there is. */
  readonly found?: unknown;
}

export const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");
const COMMIT = "c0ffee".padEnd(40, "0");

/**
 * A stand-in for the model hub on loopback, after its public documentation: the list of a search, the description of a
 * repository with the hashes of its large files, and addresses that redirect to the store of these files, signed.
 */
export async function startHub(
  repositories: Readonly<Record<string, StandInRepository>>,
  options: StandInOptions = {},
): Promise<StandInHub> {
  const kept = new Map(Object.entries(repositories).map(([name, one]) => [name, { ...one, files: { ...one.files } }]));
  const requests: string[] = [];
  const faults: Answer[] = [];
  const callFaults: Answer[] = [];
  let sent = 0;

  function giveFile(request: IncomingMessage, response: ServerResponse, hash: string): void {
    const content = [...kept.values()].flatMap(({ files }) => Object.values(files)).find((one) => sha256(one) === hash);
    const before = request.socket.bytesWritten;
    response.once("close", () => {
      sent += request.socket.bytesWritten - before;
    });
    giveAnswer(request, response, content ?? empty, content ? { etag: `"${hash}"`, ...faults.shift() } : notFound);
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://hub");
    requests.push([url.pathname, ...(request.headers.range ? [request.headers.range] : [])].join(" "));
    const [, hash] = /^\/lfs\/(\w+)$/.exec(url.pathname) ?? [];
    if (hash !== undefined) giveFile(request, response, hash);
    else giveAnswer(request, response, empty, callFaults.shift() ?? answerTo(url, kept, options));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get sent() {
      return sent;
    },
    fail: (...answers) => void faults.push(...answers),
    failCalls: (...answers) => void callFaults.push(...answers),
    replace(repository, path, content) {
      const found = kept.get(repository);
      if (found) found.files[path] = content;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const empty = Buffer.alloc(0);
const notFound: Answer = { status: 404, body: "Not found" };
type Kept = ReadonlyMap<string, StandInRepository>;

function answerTo({ pathname, searchParams }: URL, kept: Kept, { found, storage = "" }: StandInOptions): Answer {
  if (pathname === "/api/models") return json(found ?? search(kept, searchParams.get("search") ?? ""));
  const [, described = ""] = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/[^/]+$/.exec(pathname) ?? [];
  const [, repository = "", path = ""] = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(pathname) ?? [];
  const about = kept.get(described);
  if (about) return json(describe(described, about));
  const content = kept.get(repository)?.files[decodeURIComponent(path)];
  return content ? moved(content, storage) : notFound;
}

const moved = (content: Buffer, storage: string): Answer => ({
  status: 302,
  headers: {
    location: `${storage}/lfs/${sha256(content)}?X-Amz-Signature=abc&Expires=1`,
    "x-repo-commit": COMMIT,
    "x-linked-etag": `"${sha256(content)}"`,
    "x-linked-size": String(content.length),
  },
});

const json = (value: unknown): Answer => ({
  status: 200,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify(value),
});

const search = (kept: Kept, words: string) =>
  [...kept]
    .filter(([name]) => name.toLowerCase().includes(words.toLowerCase()))
    .map(([id, { downloads }]) => ({ id, modelId: id, downloads: downloads ?? 0, tags: ["gguf"], private: false }));

const describe = (id: string, { files, licence, description }: StandInRepository) => ({
  ...{ id, modelId: id, sha: COMMIT, private: false, gated: false },
  ...(licence !== undefined && { cardData: { license: licence } }),
  siblings: [
    { rfilename: "README.md", size: 12, blobId: "1" },
    ...Object.entries(files).map(([rfilename, content]) => ({
      ...{ rfilename, size: content.length, blobId: "2" },
      lfs: { sha256: sha256(content), size: content.length, pointerSize: 134 },
    })),
  ],
  ...description,
});
