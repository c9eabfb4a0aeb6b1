/** From this identical call on, a model is going in circles. */
const MOST_IDENTICAL = 3;
const MOST_REFUSED_PATHS = 3;
const MOST_HINTS = 3;

/** Watches one turn for a model that goes in circles. */
export function createRepeatGuard() {
  const seen = new Map<string, number>();
  let refusedPaths = 0;
  let hints = 0;

  return {
    /** A hint to answer with instead of running the call, from the third identical one on. */
    hint(name: string, input: unknown): string | undefined {
      const key = `${name} ${canonical(input)}`;
      const times = (seen.get(key) ?? 0) + 1;
      seen.set(key, times);
      if (times < MOST_IDENTICAL) return undefined;
      hints++;
      return `Not run: this is call number ${times} of ${name} with the same arguments. Use the results you have, or try something else.`;
    },
    /** Hints do not help this model any more. */
    isStuck: (): boolean => hints >= MOST_HINTS,
    /** Said after every path that was refused; the third time it says to stop. */
    afterRefusedPath(): string {
      refusedPaths++;
      if (refusedPaths < MOST_REFUSED_PATHS) return "";
      return " Stop trying paths outside the workspace; tell the user what you could not read.";
    },
  };
}

export type RepeatGuard = ReturnType<typeof createRepeatGuard>;

/** JSON with sorted keys: the same arguments in another order are the same call. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
