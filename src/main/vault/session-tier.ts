import { AppError } from "../../shared/errors.ts";
import type { Secret, Tier } from "./tier.ts";

/** Keeps secrets in memory: they end with the process. */
export function createSessionTier(): Tier {
  const kept = new Map<string, Secret>();
  return {
    backend: "memory, until Lares ends",
    isLocked: () => false,
    names: () => [...kept.keys()],
    has: (name) => (kept.has(name) ? "kept" : "none"),
    async get(name) {
      const secret = kept.get(name);
      if (!secret) throw keyMissing();
      return secret;
    },
    async put(secrets) {
      for (const [name, secret] of secrets) kept.set(name, secret);
    },
    async drop(names) {
      for (const name of names) kept.delete(name);
    },
    opened: () => [...kept.values()].map(({ secret }) => secret),
  };
}

export const keyMissing = (): AppError =>
  new AppError("key-missing", "There is no key for this connection. Give it one.");
