import { existsSync, readFileSync } from "node:fs";
import { figure, type Group, ratio } from "./figure.ts";
import { withScriptedTurns } from "./scripted-turns.ts";

const turns = 10;
const ledger = "/proc/self/io";

/**
 * What a turn writes. Counted by the kernel, as everything this process hands to `write`: that is stricter than the
 * growth of the write-ahead log, which leaves out the way from the log into the database (a checkpoint writes each page
 * a second time) and shows nothing at all once the log begins anew in its own file. The mean over several turns, since
 * a checkpoint falls into some of them and not into others.
 */
export const bytes: Group = {
  name: "bytes",
  measure: () =>
    withScriptedTurns("file", async ({ turn }) => {
      if (!existsSync(ledger)) return [figure(`bytes of a 20-tool turn (no ${ledger} here)`, null, "MB")];
      const written = async (toolSteps: number) => {
        const before = writtenBytes();
        for (let at = 0; at < turns; at++) await turn(`${toolSteps} tools, ${at}`, toolSteps);
        return (writtenBytes() - before) / turns / 1e6;
      };
      await turn("warm-up", 20);
      const twenty = await written(20);
      const forty = await written(40);
      return [
        // 0.5 before the trace kept a record of each request
        figure("written by a 20-tool turn", twenty, "MB", { atMost: 0.6 }),
        figure("written by a 40-tool turn ÷ a 20-tool turn", forty / twenty, ratio, { atMost: 2.2 }),
      ];
    }),
};

const writtenBytes = (): number => Number(/^wchar: (\d+)$/m.exec(readFileSync(ledger, "utf8"))?.[1]);
