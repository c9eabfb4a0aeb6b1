/** Numbers that look random and are the same again for the same seed (mulberry32). */
export function seeded(seed: number) {
  let state = seed >>> 0;

  /** 0 ≤ x < 1. */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));

  return {
    next,
    between,
    chance: (share: number): boolean => next() < share,
    /** One of a list that is not empty. */
    pick: <T>(list: readonly [T, ...T[]]): T => list[between(0, list.length - 1)] ?? list[0],
  };
}

export type Seeded = ReturnType<typeof seeded>;
