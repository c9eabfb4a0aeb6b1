/** Lets so many work at once; the others wait their turn, in the order of asking. */
export interface Slots {
  /** Whether who asks now has to wait. */
  readonly isFull: boolean;
  /** Resolves with the function that gives the place to the next one. Rejects when `signal` fires first. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;

  function leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    };
  }

  return {
    get isFull() {
      return free === 0;
    },
    async enter(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return leaveOnce();
      }
      await new Promise<void>((resolve, reject) => {
        const admit = () => {
          signal.removeEventListener("abort", giveUp);
          resolve();
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(admit), 1);
          reject(signal.reason);
        };
        waiting.push(admit);
        signal.addEventListener("abort", giveUp, { once: true });
      });
      return leaveOnce();
    },
  };
}
