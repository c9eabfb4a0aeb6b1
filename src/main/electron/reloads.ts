const PER_MINUTE = 3;
const MINUTE = 60_000;

/** Whether a page that stopped is loaded again by itself: three times in a minute, then a person decides. `now` in milliseconds. */
export function createReloads(now: () => number): { take(): boolean; forget(): void } {
  let taken: number[] = [];
  return {
    take() {
      taken = taken.filter((time) => now() - time < MINUTE);
      if (taken.length >= PER_MINUTE) return false;
      taken.push(now());
      return true;
    },
    forget() {
      taken = [];
    },
  };
}
