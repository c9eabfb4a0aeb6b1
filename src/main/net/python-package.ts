import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError, type ErrorCode } from "../../shared/errors.ts";
import type { Door, Watched } from "./errand.ts";
import { type ProgramEnd, runProgram } from "./program.ts";

export interface PythonPackageOptions {
  readonly name: string;
  readonly version: string;
  /** pip makes its own connections: the door writes down that it may, and cuts it off. */
  readonly door: Pick<Door, "program">;
  /** The person has just clicked for it. */
  readonly byHand?: boolean;
  /** An empty folder for this download alone: pip's own temporary files go there as well. */
  readonly to: string;
  readonly signal: AbortSignal;
  /** Bytes of the wheel so far, about twice a second. */
  readonly onProgress?: ((done: number) => void) | undefined;
  /** Where PATH, the proxy and pip's own settings come from. */
  readonly environment: NodeJS.ProcessEnv;
  /** Longest time without a new byte; pip itself retries within it. */
  readonly stallMs?: number;
}

const pips = [["pip3"], ["pip"], ["python3", "-m", "pip"]] as const;
/** What pip needs to find itself, its settings, a proxy and certificates. Nothing else of ours reaches it. */
const passedOn =
  /^(PATH|HOME|USERPROFILE|SYSTEMROOT|APPDATA|LOCALAPPDATA|XDG_CONFIG_(HOME|DIRS)|LANG|LC_ALL|PIP_.+|PYENV_.+|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE)$/i;
const lookEveryMs = 500;

/** What pip says, in order of how telling it is, and what it means for the person. */
const complaints: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [/No space left on device|Errno 28/i, "disk-full", "the disk is full"],
  [/NewConnectionError|name resolution|ConnectTimeout|unreachable/i, "offline", "the package index cannot be reached"],
  [/CERTIFICATE_VERIFY_FAILED|SSLError/i, "server-untrusted", "the package index cannot prove who it is"],
  [/No matching distribution/i, "download-failed", "the package index does not have it"],
];

/**
 * Downloads one wheel by pip, without its dependencies and without running any code of it, and returns its path.
 * Throws AppError (aborted, local-mode, offline, timeout, download-failed, server-untrusted, disk-full).
 */
export async function fetchPythonPackage(options: PythonPackageOptions): Promise<string> {
  const { name, version, door, byHand = false, to, signal } = options;
  await mkdir(to, { recursive: true });
  const inherited = Object.entries(options.environment).filter(([key]) => passedOn.test(key));
  const environment = { ...Object.fromEntries(inherited), TMPDIR: to, TEMP: to, TMP: to };
  try {
    const pip = await findPip(environment, signal);
    await door.program({ purpose: "package-index", byHand }, "package index (pip)", (watched) =>
      download(pip, environment, watched, options),
    );
  } catch (thrown) {
    if (signal.aborted) throw new AppError("aborted", `The download of ${name} was stopped.`, thrown);
    throw thrown;
  }
  const wheels = (await readdir(to)).filter((file) => file.endsWith(".whl"));
  if (wheels.length === 1 && wheels[0] !== undefined) return join(to, wheels[0]);
  throw new AppError("download-failed", `pip left ${wheels.length} packages for ${name} ${version} instead of one.`);
}

async function download(
  pip: Pip,
  environment: NodeJS.ProcessEnv,
  watched: Watched,
  options: PythonPackageOptions,
): Promise<void> {
  const { name, version, to, stallMs = 120_000, onProgress } = options;
  const look = createLookout(to, stallMs, (done) => {
    watched.came(done);
    onProgress?.(done);
  });
  const signal = AbortSignal.any([options.signal, watched.signal, look.stalled]);
  const flags = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--disable-pip-version-check"];
  try {
    const command = [...pip, "download", ...flags, "-d", to, `${name}==${version}`] as const;
    const end = await runProgram(command, { environment, signal });
    if (signal.aborted) throw signal.reason;
    if (end?.code !== 0) throw complaintOf(end, options);
  } finally {
    look.stop();
    watched.came(await wheelBytes(to));
  }
}

type Pip = readonly [string, ...string[]];

async function findPip(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Pip> {
  for (const pip of pips) {
    const end = await runProgram([...pip, "--version"], { environment, signal });
    if (end?.code === 0) return pip;
  }
  throw new AppError(
    "download-failed",
    "There is no pip on this computer. Install Python with pip, or use another source.",
  );
}

function complaintOf(end: ProgramEnd | undefined, { name, version }: PythonPackageOptions): AppError {
  const complaint = end?.complaint ?? "";
  const [, code, reason] = complaints.find(([pattern]) => pattern.test(complaint)) ?? [];
  const lastError = /^ERROR: (.+)$/m.exec(complaint)?.[1]?.slice(0, 200) ?? `exit code ${end?.code ?? "unknown"}`;
  return new AppError(code ?? "download-failed", `pip could not fetch ${name} ${version}: ${reason ?? lastError}.`);
}

/** Watches the wheel grow, because pip tells its progress to terminals only. */
function createLookout(folder: string, stallMs: number, onProgress: (done: number) => void) {
  const stalled = new AbortController();
  let last = -1;
  let grewAt = Date.now();
  const timer = setInterval(
    async () => {
      const bytes = await wheelBytes(folder);
      if (bytes !== last) grewAt = Date.now();
      else if (Date.now() - grewAt > stallMs)
        stalled.abort(
          new AppError("timeout", `pip has received nothing for ${Math.round(stallMs / 1000)} s. Try again later.`),
        );
      last = bytes;
      onProgress(bytes);
    },
    Math.min(lookEveryMs, stallMs),
  );
  return { stalled: stalled.signal, stop: () => clearInterval(timer) };
}

async function wheelBytes(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const wheels = files.filter((file) => file.endsWith(".whl"));
  const sizes = wheels.map((file) =>
    stat(join(folder, file)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return Math.max(0, ...(await Promise.all(sizes)));
}
