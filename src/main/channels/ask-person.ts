import { createInterface, type Interface } from "node:readline/promises";

interface Asking {
  readonly signal?: AbortSignal;
  /** Where the person types already. */
  readonly lines?: Interface | undefined;
}

/** Asks the person at the terminal. Undefined: they left (Ctrl-D). Rejects when it was stopped (Ctrl-C, or the signal). */
export async function askPerson(question: string, { signal, lines }: Asking = {}): Promise<string | undefined> {
  const asking = lines ?? createInterface({ input: process.stdin, output: process.stderr });
  const left = new AbortController();
  const leave = () => left.abort("Ctrl-D");
  const stop = () => left.abort("Ctrl-C");
  asking.once("close", leave).once("SIGINT", stop);
  try {
    return await asking.question(question, { signal: AbortSignal.any([left.signal, ...(signal ? [signal] : [])]) });
  } catch (thrown) {
    if (left.signal.reason === "Ctrl-D") return undefined;
    throw thrown;
  } finally {
    asking.off("close", leave).off("SIGINT", stop);
    if (!lines) asking.close();
  }
}
