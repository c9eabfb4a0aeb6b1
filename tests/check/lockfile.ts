/** The parts of package-lock.json (version 3) that are looked at. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

export interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  /** Every package with an install script, and whether it may run. */
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

/** Packages with native code: two versions of one in a process would be two engines or two databases. */
const nativePackages = ["better-sqlite3", "node-llama-cpp"];

const integrityPattern = /^sha512-[A-Za-z0-9+/]{86}==$/;
const exactVersion = /^\d+\.\d+\.\d+$/;

/** Every way in which what `npm ci` would install is not: exact, hashed, from the one configured registry, and silent. */
export function findLockProblems({ packages }: Lockfile, manifest: Manifest): string[] {
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  return [
    ...wanted.filter(([, range]) => !exactVersion.test(range)).map(([name, range]) => `${name}: ${range} is not exact`),
    ...entries.flatMap(([path, entry]) => problemsOfPackage(path, entry, manifest)),
    ...nativePackages.filter((name) => copiesOf(name, entries) !== 1).map((name) => `${name}: not exactly one copy`),
  ];
}

function problemsOfPackage(path: string, entry: LockedPackage, { allowScripts }: Manifest): string[] {
  const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const problems = Object.entries({ ...entry.dependencies, ...entry.optionalDependencies })
    .filter(([, range]) => /[:/]/.test(range))
    .map(([of, range]) => `${name}: wants ${of} from ${range}, not from the registry`);
  if (entry.link) problems.push(`${name}: is a link`);
  if (!integrityPattern.test(entry.integrity ?? "")) problems.push(`${name}: has no sha512`);
  if (entry.resolved !== undefined) problems.push(`${name}: names an address: ${entry.resolved}`);
  if (entry.hasInstallScript && !Object.hasOwn(allowScripts, name)) {
    problems.push(`${name}: has an install script that nobody decided about`);
  }
  return problems;
}

const copiesOf = (name: string, entries: readonly [string, LockedPackage][]): number =>
  entries.filter(([path]) => path.endsWith(`node_modules/${name}`)).length;
