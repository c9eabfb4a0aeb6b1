import { createInterface, type Interface } from "node:readline/promises";
import { askPerson } from "./ask-person.ts";

/** A terminal that can keep to itself what is typed. */
export interface Screen {
  /** The terminal, for whoever reads lines from it. */
  readonly stream: NodeJS.WriteStream;
  /** Shows nothing until the work is over. */
  quiet<T>(work: () => Promise<T>): Promise<T>;
}

export function createScreen(terminal: NodeJS.WriteStream): Screen {
  let isQuiet = false;
  const stream = new Proxy(terminal, {
    get(target, name) {
      if (name === "write" && isQuiet) return () => true;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return {
    stream,
    async quiet(work) {
      isQuiet = true;
      try {
        return await work();
      } finally {
        isQuiet = false;
      }
    },
  };
}

/** Where a person types already. */
export interface Typing {
  readonly lines: Interface;
  readonly screen: Screen;
}

/** Asks the person at the terminal for something that nobody beside them may read: what is typed does not appear. */
export async function askSecret(question: string, typing?: Typing): Promise<string | undefined> {
  const { lines, screen } = typing ?? openTyping();
  process.stderr.write(question);
  const forget = (history: string[]) => void history.shift(); // or an arrow key would show it again
  lines.once("history", forget);
  try {
    return await screen.quiet(() => askPerson("", { lines }));
  } finally {
    lines.off("history", forget);
    if (!typing) lines.close();
    process.stderr.write("\n");
  }
}

function openTyping(): Typing {
  const screen = createScreen(process.stderr);
  return { screen, lines: createInterface({ input: process.stdin, output: screen.stream, terminal: true }) };
}
