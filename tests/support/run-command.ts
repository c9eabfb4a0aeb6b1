import { execFile } from "node:child_process";

export interface Finished {
  readonly code: number;
  /** What it printed, without colours. */
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly cwd?: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs a program of this repository (node_modules/.bin comes first, as in an npm script) and waits for its end, whatever its exit code. */
export function runCommand(command: string, { cwd, variables }: Options = {}): Promise<Finished> {
  const [program = "", ...values] = command.split(" ");
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH: `${process.cwd()}/node_modules/.bin:${PATH}`, HOME, NO_COLOR: "1", ...variables };
  return new Promise((resolve, reject) => {
    execFile(program, values, { cwd, env, maxBuffer: 16 * 2 ** 20 }, (error, stdout, stderr) => {
      if (error && typeof error.code !== "number")
        reject(error); // it could not be started, or was killed
      else resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}
