import { z } from "zod";

/** A few values that outlive the app. */
export interface Memory {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

/** Model files that are used where they are, by their paths, in the order they were added. */
export interface OwnFiles {
  paths(): readonly string[];
  add(path: string): void;
  /** Only leaves the list. */
  remove(path: string): void;
}

const KEY = "models.own";
const Paths = z.array(z.string());

export function createOwnFiles(memory: Memory): OwnFiles {
  const paths = () => Paths.safeParse(parse(memory.get(KEY) ?? "[]")).data ?? [];
  const keep = (next: readonly string[]) => memory.set(KEY, JSON.stringify(next));
  return {
    paths,
    add: (path) => keep([...paths().filter((one) => one !== path), path]),
    remove: (path) => keep(paths().filter((one) => one !== path)),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return []; // another Lares wrote something else: then there are none
  }
}
