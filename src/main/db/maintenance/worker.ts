import { parentPort, workerData } from "node:worker_threads";
import { toAppError, toWire } from "../../../shared/errors.ts";
import { jobs } from "./jobs.ts";

/** Does one job, says how it went, and ends. */
const { job, options } = workerData as { job: keyof typeof jobs; options: never };
try {
  parentPort?.postMessage({ result: jobs[job](options) });
} catch (thrown) {
  parentPort?.postMessage({ error: toWire(toAppError(thrown)) });
}
