import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findLockProblems, type LockedPackage, type Lockfile, type Manifest } from "./lockfile.ts";

const manifest = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
const lockfile = JSON.parse(readFileSync("package-lock.json", "utf8")) as Lockfile;

test("what npm ci installs is exact, hashed and from one registry", () => {
  expect(findLockProblems(lockfile, manifest)).toEqual([]);
  expect(Object.keys(lockfile.packages).length).toBeGreaterThan(100);
});

test("npm has been told about every installed package that would run something, and only Node's may", () => {
  const folders = Object.keys(lockfile.packages).filter((path) => path !== "" && existsSync(`${path}/package.json`));
  const runs = folders.filter((folder) => {
    const { scripts = {} } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    // npm ci compiles whatever has a binding.gyp, even where the package says gypfile: false
    return scripts.preinstall || scripts.install || scripts.postinstall || existsSync(`${folder}/binding.gyp`);
  });

  expect(folders.length).toBeGreaterThan(100);
  const told = Object.keys(manifest.allowScripts).map((name) => `node_modules/${name}`);
  expect(runs.sort()).toEqual(told.sort());
  expect(Object.entries(manifest.allowScripts).filter(([, allowed]) => allowed)).toEqual([["node", true]]);
});

test("no setting, lock or manifest names a registry", () => {
  const files = ["package.json", "package-lock.json", ".npmrc"].map((file) => readFileSync(file, "utf8"));
  expect(files.filter((text) => /registry[^-\n]*(=|https?:)|npmjs/i.test(text))).toEqual([]);
});

const integrity = `sha512-${"A".repeat(86)}==`;

test.each<{ what: string; name?: string; entry: LockedPackage; told: string }>([
  { what: "a foreign host", entry: { integrity, resolved: "https://evil.test/a.tgz" }, told: "names an address" },
  { what: "a missing hash", entry: {}, told: "has no sha512" },
  { what: "a weak hash", entry: { integrity: "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=" }, told: "has no sha512" },
  { what: "a git dependency", entry: { integrity, dependencies: { b: "git+https://evil.test/b" } }, told: "wants b" },
  { what: "a GitHub dependency", entry: { integrity, dependencies: { b: "evil/b" } }, told: "wants b" },
  { what: "a file dependency", entry: { integrity, optionalDependencies: { b: "file:../b" } }, told: "wants b" },
  { what: "a package under another name", entry: { integrity, dependencies: { b: "npm:evil@1" } }, told: "wants b" },
  { what: "a link", entry: { integrity, link: true }, told: "is a link" },
  { what: "a new install script", entry: { integrity, hasInstallScript: true }, told: "has an install script" },
  {
    what: "a second SQLite",
    name: "a/node_modules/better-sqlite3",
    entry: { integrity },
    told: "not exactly one copy",
  },
])("$what is refused", ({ name = "planted", entry, told }) => {
  const packages = { ...lockfile.packages, [`node_modules/${name}`]: entry };
  expect(findLockProblems({ packages }, manifest)).toEqual([expect.stringContaining(told)]);
});

test("a dependency with a range is refused", () => {
  const loose = { ...manifest, dependencies: { ...manifest.dependencies, zod: "^4.6.7" } };
  expect(findLockProblems(lockfile, loose)).toEqual(["zod: ^4.6.7 is not exact"]);
});
