import { spawn } from "node:child_process";

/** The program that opens an address in the person's browser; undefined where nobody would see it. */
export function browserProgram(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
): readonly [string, ...string[]] | undefined {
  if (platform === "darwin") return ["open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return environment.DISPLAY || environment.WAYLAND_DISPLAY ? ["xdg-open"] : undefined;
}

/**
 * Opens an address in the person's browser, without a shell. It outlives us and gets no signal of our terminal. False when
 * there is none to open; whether the page then came up, nobody knows.
 */
export async function openInBrowser(address: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const command = browserProgram(process.platform, environment);
  if (!command) return false;
  const [program, ...args] = command;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  spawn(program, [...args, address], { env: environment, detached: true, stdio: "ignore" })
    .once("spawn", () => resolve(true))
    .once("error", () => resolve(false))
    .unref();
  return promise;
}
