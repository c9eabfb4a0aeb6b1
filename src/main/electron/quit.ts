import { app } from "electron";
import type { Assistant } from "./open-assistant.ts";

/** A close that hangs does not keep the app: what is on disk by then is as safe as in a crash. */
const CLOSE_MS = 10_000;

/** Before the app quits, the assistant is closed: what runs is stopped, and what it produced is kept. */
export function closeBeforeQuit(assistant: Promise<Assistant>): void {
  let state: "open" | "closing" | "closed" = "open";
  app.on("before-quit", (event) => {
    if (state === "closed") return;
    event.preventDefault();
    if (state === "closing") return;
    state = "closing";
    const bound = setTimeout(() => app.exit(1), CLOSE_MS);
    assistant
      .then((opened) => opened.close())
      .then(() => {
        clearTimeout(bound);
        state = "closed";
        app.quit(); // now for good: the windows close, each keeping its place
      })
      .catch(() => app.exit(1)); // it never opened, which was told, or it did not close in order
  });
}
