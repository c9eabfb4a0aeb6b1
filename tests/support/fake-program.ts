import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Puts a program into a folder that can be the PATH: a Node script, with `require` and `process`. */
export function fakeProgram(folder: string, name: string, script: string): void {
  const path = join(folder, name);
  writeFileSync(path, `#!${process.execPath}\n${script}\n`);
  chmodSync(path, 0o755);
}

/** A pip that has one wheel: it answers `--version` and copies the wheel to where `download -d` says. */
export const pipWith = (wheel: string): string => `
  if (process.argv.includes("--version")) process.exit(0);
  const to = process.argv[process.argv.indexOf("-d") + 1];
  require("node:fs").copyFileSync(${JSON.stringify(wheel)}, to + "/a-1-py3-none-any.whl");`;
