import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ModelEvent } from "../../shared/inference.ts";
import { withinLimits } from "./time-limits.ts";

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const text: ModelEvent = { type: "text", text: "x" };
const reading: ModelEvent = { type: "progress", phase: "reading", done: 1, total: 2 };
/** Long beside the waits below, so that a busy computer changes nothing. */
const short = { requestMs: 300, streamMs: 2_000, idleMs: 300 };

async function collect(
  start: (signal: AbortSignal) => AsyncIterable<ModelEvent>,
  limits: Partial<typeof short> = {},
  signal = new AbortController().signal,
) {
  const seen: string[] = [];
  try {
    for await (const event of withinLimits(start, signal, { ...short, ...limits })) seen.push(event.type);
    return { seen };
  } catch (thrown) {
    return { seen, code: (thrown as { code?: string }).code };
  }
}

describe("a stream within its limits", () => {
  test("one that ends is passed on whole", async () => {
    expect(
      await collect(async function* () {
        yield text;
        yield text;
      }),
    ).toEqual({ seen: ["text", "text"] });
  });

  test("one that never begins times out, and the request is aborted", async () => {
    let aborted = false;
    const outcome = await collect(async function* (signal) {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      await wait(5_000);
      yield text;
    });
    expect(outcome).toEqual({ seen: [], code: "timeout" });
    expect(aborted).toBe(true);
  });

  test("one that hangs in the middle keeps what came", async () => {
    expect(
      await collect(async function* () {
        yield text;
        await wait(5_000);
      }),
    ).toEqual({ seen: ["text"], code: "timeout" });
  });

  test("one that never ends is ended", async () => {
    const { code } = await collect(
      async function* () {
        while (true) {
          yield text;
          await wait(5);
        }
      },
      { streamMs: 100 },
    );
    expect(code).toBe("timeout");
  });

  test("a prompt that is still being read is not a hang", async () => {
    const { seen, code } = await collect(async function* () {
      for (let n = 0; n < 5; n++) {
        await wait(80);
        yield reading;
      }
      yield text;
    });
    expect({ last: seen.at(-1), code }).toEqual({ last: "text", code: undefined });
  });

  test("what left this computer is no word of the model: it may think as long as before its first one", async () => {
    const trip = { ledgerId: 1, host: "a", place: "cloud", bodyOut: 1, bodyIn: 0 } as const;
    const outcome = await collect(
      async function* () {
        yield { type: "sent", body: "{}", trip };
        await wait(120);
        yield text;
      },
      { idleMs: 40, requestMs: 2_000 },
    );
    expect(outcome).toEqual({ seen: ["sent", "text"] });
  });

  test("the time to read a prompt is not taken from the time to answer", async () => {
    const { code } = await collect(
      async function* () {
        for (let n = 0; n < 6; n++) {
          await wait(80);
          yield reading;
        }
        yield text;
        await wait(20);
        yield text;
      },
      { streamMs: 300 },
    );
    expect(code).toBeUndefined();
  });

  test("a provider that ignores a stop is left behind", async () => {
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const outcome = await collect(
      async function* () {
        while (true) {
          yield text;
          await wait(5);
        }
      },
      {},
      abort.signal,
    );
    expect(outcome.code).toBe("aborted");
  });
});

describe("while the computer slept", () => {
  /** A clock that can be put on: a sleep, as those see it who sleep. */
  function aSleep(): (ms: number) => void {
    const now = performance.now.bind(performance);
    let slept = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + slept);
    onTestFinished(() => clock.mockRestore());
    return (ms) => {
      slept += ms;
    };
  }

  test("no time passed for a stream: it goes on, and has as long to its end as before", async () => {
    const sleep = aSleep();
    const outcome = await collect(async function* () {
      yield text;
      await wait(50);
      sleep(600_000);
      await wait(400);
      yield text;
      await wait(50);
      yield text;
    });
    expect(outcome).toEqual({ seen: ["text", "text", "text"] });
  });

  test("and twice in one silence is a hang", async () => {
    const sleep = aSleep();
    const outcome = await collect(async function* () {
      yield text;
      await wait(50);
      sleep(600_000);
      await wait(400);
      sleep(600_000);
      await wait(350);
      yield text;
    });
    expect(outcome).toEqual({ seen: ["text"], code: "timeout" });
  });
});
