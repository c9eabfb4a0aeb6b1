import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { validatorOf } from "./answer.ts";

/** Beside a file that is still growing: the address it comes from and the version of it, one a line. */
const versionFile = (part: string): string => `${part}.version`;

/** Bytes that are there; 0 when there is no file. */
export const sizeOf = (part: string): Promise<number> =>
  stat(part).then(
    ({ size }) => size,
    () => 0,
  );

export async function rememberVersion(part: string, url: string, headers: Headers): Promise<void> {
  await writeFile(versionFile(part), `${url}\n${validatorOf(headers) ?? ""}`);
}

export async function forgetVersion(part: string): Promise<void> {
  await rm(versionFile(part), { force: true });
}

/** Where to go on: only behind bytes whose version is known. */
export async function resumePoint(part: string, url: string): Promise<{ offset: number; validator?: string }> {
  const offset = await sizeOf(part);
  const [from, validator] = (await readFile(versionFile(part), "utf8").catch(() => "")).split("\n");
  return from === url && validator && offset > 0 ? { offset, validator } : { offset: 0 };
}

export async function discard(part: string): Promise<void> {
  await rm(part, { force: true });
  await forgetVersion(part);
}
