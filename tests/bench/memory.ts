import { execFileSync } from "node:child_process";
import { figure, type Group, machineMb } from "./figure.ts";
import { startTerminal, withHome } from "./terminal-app.ts";

/** What each process holds right after an answer, the model file's pages included. */
export const memory: Group = {
  name: "memory",
  measure: () =>
    withHome(async (home, model) => {
      const answered = Promise.withResolvers<void>();
      const { child, ended } = startTerminal(home, model, ["chat"], ({ event }) => {
        if (event.type === "turn.ended") answered.resolve();
      });
      child.stdin.write("What is the capital of France?\n");
      await Promise.race([answered.promise, ended]);
      const processes = process.platform === "win32" ? [] : listProcesses();
      child.stdin.end();
      await ended;
      const main = processes.find(({ pid }) => pid === child.pid);
      const engine = processes.find(({ parent }) => parent === child.pid);
      return [
        figure("memory of the main process after an answer", main?.mb ?? null, machineMb),
        figure("memory of the engine child after an answer", engine?.mb ?? null, machineMb),
      ];
    }),
};

/** Every process with its resident memory. */
function listProcesses() {
  const list = execFileSync("ps", ["-axo", "pid=,ppid=,rss="], { encoding: "utf8" });
  return list
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid, parent, kilobytes = Number.NaN]) => ({ pid, parent, mb: (kilobytes * 1024) / 1e6 }));
}
