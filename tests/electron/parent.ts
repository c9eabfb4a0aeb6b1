import { createLink, type Handlers } from "./link.ts";

// The stand-in's end of the channel to the test that forked it.
const handlers: Record<string, Handlers[string]> = {};

export const parent = createLink(
  {
    send: (message) => void process.send?.(message),
    onMessage: (listener) => void process.on("message", listener),
  },
  handlers,
);

process.once("disconnect", () => process.exit(0)); // nobody is left to look at the windows

/** What the test may ask of this process. */
export const serve = (more: Handlers): void => void Object.assign(handlers, more);

/** Asks for what nobody waits for: that it failed (the page crashed meanwhile) comes as an event. */
export const tell = (name: string, ...values: unknown[]): void => {
  parent.ask(name, ...values).catch(() => undefined);
};
