import { dirname } from "node:path";

/**
 * The folders this file stands in, the nearest first. What belongs to an installation (resources, the built page,
 * package.json) stands beside `src` and beside `out`: looked for from here upwards, source and bundle both find it.
 */
export const foldersAbove: readonly string[] = upFrom(import.meta.dirname);

function upFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upFrom(above)];
}
