import { Worker } from "node:worker_threads";
import { AppError, fromWire, type WireError } from "../../../shared/errors.ts";
import { maintenanceEntry } from "./entry.ts";
import type { Jobs } from "./jobs.ts";

type Outcome<J extends keyof Jobs> = { readonly result: ReturnType<Jobs[J]> } | { readonly error: WireError };

/**
 * Does what takes long with a database in a thread of its own, one job after the other, so that nobody waits for it. A
 * thread lives as long as its job.
 */
export function createMaintenance(entry: () => string = maintenanceEntry) {
  let last: Promise<unknown> = Promise.resolve();
  let running: Worker | undefined;
  let closed = false;

  /** Resolves when it is done; rejects with the AppError of the job, or `aborted` when it was closed before. */
  function run<J extends keyof Jobs>(job: J, options: Parameters<Jobs[J]>[0]): Promise<ReturnType<Jobs[J]>> {
    const next = last.then(() => start(job, options));
    last = next.catch(() => undefined);
    return next;
  }

  function start<J extends keyof Jobs>(job: J, options: Parameters<Jobs[J]>[0]): Promise<ReturnType<Jobs[J]>> {
    return new Promise((resolve, reject) => {
      if (closed) throw aborted();
      const worker = new Worker(entry(), { workerData: { job, options } });
      running = worker;
      worker.once("message", (outcome: Outcome<J>) => {
        if ("error" in outcome) reject(fromWire(outcome.error));
        else resolve(outcome.result);
      });
      worker.once("error", reject);
      worker.once("exit", () => {
        running = undefined;
        reject(aborted());
      });
    });
  }

  /** Ends what runs: nothing it does needs to be finished. Safe to call twice. */
  async function close(): Promise<void> {
    closed = true;
    await running?.terminate();
  }

  return { run, close };
}

export type Maintenance = ReturnType<typeof createMaintenance>;

const aborted = () => new AppError("aborted", "Lares was closed before it was done looking after the data.");
