import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface KeysOptions {
  /** A clock that nobody can set, milliseconds. */
  readonly now: () => number;
  /** A secret that was not used for so long is worth nothing. */
  readonly idleMs: number;
}

export type Verdict<T> = T | "wrong" | "paused";

/** A page that was let in. */
export interface Visit {
  /** It gave a sign of life. */
  touch(): void;
  holds(): boolean;
}

const WRONG_IN_A_ROW = 5;
const PAUSE_MS = 30_000;
const MOST_TOKENS = 8;
const MOST_SESSIONS = 64;

interface Key {
  readonly digest: Buffer;
  usedAt: number;
}

/**
 * The secrets of the loopback page, in memory only and as digests. A token stands in an address and is good for one trade;
 * the session that it is traded for lets a page in until it is idle too long or Lares ends. Five wrong ones in a row, and
 * for 30 s nobody gets an answer.
 */
export function createKeys({ now, idleMs }: KeysOptions) {
  const tokens: Key[] = [];
  const sessions: Key[] = [];
  let wrong = 0;
  let pausedUntil = Number.NEGATIVE_INFINITY;

  /** A fresh secret of 256 bits; of too many the oldest is forgotten. */
  function issue(keys: Key[], most: number): string {
    const secret = randomBytes(32).toString("base64url");
    keys.push({ digest: digestOf(secret), usedAt: now() });
    if (keys.length > most) keys.shift();
    return secret;
  }

  function find(keys: Key[], secret: string): Key | undefined {
    const digest = digestOf(secret);
    return keys.filter((key) => timingSafeEqual(key.digest, digest)).find(({ usedAt }) => now() - usedAt < idleMs);
  }

  function judge(keys: Key[], secret: string): Verdict<Key> {
    if (now() < pausedUntil) return "paused";
    const key = find(keys, secret);
    wrong = key ? 0 : wrong + 1;
    if (key) return key;
    if (wrong >= WRONG_IN_A_ROW) {
      wrong = 0;
      pausedUntil = now() + PAUSE_MS;
    }
    return "wrong";
  }

  function burn(secret: string): void {
    for (const keys of [tokens, sessions]) {
      const key = find(keys, secret);
      if (key) keys.splice(keys.indexOf(key), 1);
    }
  }

  return {
    token: () => issue(tokens, MOST_TOKENS),
    /** A session for a token, which is used up by it. */
    trade(token: string): Verdict<{ readonly session: string }> {
      const key = judge(tokens, token);
      if (typeof key === "string") return key;
      burn(token);
      return { session: issue(sessions, MOST_SESSIONS) };
    },
    /** Lets a page in. */
    enter(session: string): Verdict<Visit> {
      const key = judge(sessions, session);
      if (typeof key === "string") return key;
      const touch = () => {
        key.usedAt = now();
      };
      touch();
      return { touch, holds: () => sessions.includes(key) && now() - key.usedAt < idleMs };
    },
    /** Takes a secret out of use that was seen where none may be. */
    burn,
  };
}

export type Keys = ReturnType<typeof createKeys>;

const digestOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();
