import { type ComponentType, lazy } from "react";

const parts = new Set<() => Promise<unknown>>();

/** A component in a file of its own, which the window opens without. It is read when it is first shown, or by `readRest`. */
export function later<P>(read: () => Promise<ComponentType<P>>) {
  parts.add(read);
  return lazy(async () => ({ default: await read() }));
}

/** Reads what is not there yet, once the window is at rest: later nothing has to wait for it. */
export function readRest(): void {
  requestIdleCallback(() => {
    for (const read of parts) void read();
  });
}
