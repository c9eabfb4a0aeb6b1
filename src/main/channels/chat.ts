import type { Interface } from "node:readline/promises";
import type { Conversation } from "./conversation.ts";

interface ChatOptions {
  readonly conversation: Conversation;
  readonly lines: Interface;
  /** A person types: the prompt is shown, and lines typed during an answer wait in the queue. Else each line waits for the one before. */
  readonly interactive: boolean;
  readonly say: (text: string) => void;
  /** Told of a message that was not accepted. */
  readonly onRefused: (message: string) => void;
}

/** A conversation line by line. Ctrl-C stops an answer; with nothing running, twice leaves. Resolves when the person leaves. */
export async function chat({ conversation, lines, interactive, say, onRefused }: ChatOptions): Promise<void> {
  let leaving = false;
  const prompt = () => {
    if (interactive && !conversation.isBusy()) lines.prompt();
  };
  lines.on("SIGINT", () => {
    if (conversation.isBusy() && !leaving) {
      conversation.stop();
      leaving = true;
      return;
    }
    if (leaving) return lines.close();
    leaving = true;
    say("\nPress Ctrl-C again to leave.\n");
    return prompt();
  });
  prompt();
  for await (const line of lines) {
    leaving = false;
    if (line.trim() === "") prompt();
    else {
      const sent = conversation.send(line).then((end) => {
        if (!("stopReason" in end)) onRefused(end.error.message);
        leaving = false;
        prompt();
      });
      if (!interactive) await sent;
    }
  }
}
