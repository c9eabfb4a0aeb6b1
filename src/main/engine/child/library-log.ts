import { Console } from "node:console";
import { Writable } from "node:stream";

const remembered = 60;
const lines: string[] = [];

/** Keeps what the library says, so that a failed load can be explained. Nothing is written anywhere. */
export function remember(text: string): void {
  for (const line of text.split("\n")) if (line.trim() !== "") lines.push(line.trim());
  lines.splice(0, lines.length - remembered);
}

/** The lines since the last call, oldest first. llama.cpp hands its lines over a moment late, so this waits for them. */
export async function takeLines(): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  return lines.splice(0);
}

/** The library warns through `console` in places; the child's outputs belong to whoever started it. */
export function silenceConsole(): void {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      remember(String(chunk));
      done();
    },
  });
  globalThis.console = new Console(sink);
}
