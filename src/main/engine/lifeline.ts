import { Worker } from "node:worker_threads";

/** How often a child looks whether its parent still lives, in milliseconds. */
const lookMs = 500;

/** Runs beside the event loop: whatever keeps that busy, a template that never ends say, must not keep an orphan alive. */
const watch = `
const parent = process.ppid;
const isGone = () => {
  try {
    process.kill(parent, 0);
  } catch (error) {
    return error.code === "ESRCH";
  }
  return process.ppid !== parent;
};
setInterval(() => isGone() && process.kill(process.pid, "SIGKILL"), ${lookMs});
`;

/**
 * Ties the life of this process to its parent's: killed within a second of its death, even when it is too busy to notice.
 * To be called by a child as the first thing it does.
 */
export function holdLifeline(): void {
  new Worker(watch, { eval: true }).unref();
}
