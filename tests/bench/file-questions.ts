import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { figure, type Group } from "./figure.ts";
import { type Asked, withRealApp } from "./real-app.ts";

const Fixture = z.strictObject({
  /** Text by path in the workspace. */
  files: z.record(z.string(), z.string()),
  /** `right` is a regular expression that only a right answer matches, whatever its case. */
  questions: z.array(z.strictObject({ ask: z.string(), right: z.string() })),
});

/** Whether the starter model answers from files that a question names: Lares reads them for it. */
export const fileQuestions: Group = {
  name: "file-questions",
  measure: () =>
    withRealApp(async ({ ask, workspace }) => {
      const { files, questions } = Fixture.parse(
        JSON.parse(readFileSync(join(import.meta.dirname, "file-questions.json"), "utf8")),
      );
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(workspace, path)), { recursive: true });
        writeFileSync(join(workspace, path), text);
      }
      let read = 0;
      let right = 0;
      for (const question of questions) {
        const asked = await ask(question.ask);
        if (wasRead(asked)) read++;
        if (new RegExp(question.right, "i").test(asked.ended.text)) right++;
      }
      const unit = `of ${questions.length}`;
      return [
        figure("file questions: the named file was read", read, unit, { atLeast: questions.length }),
        figure("file questions: right answers of the starter model", right, unit),
      ];
    }),
};

const wasRead = ({ events }: Asked): boolean =>
  events.some((event) => event.type === "tool" && event.origin === "named" && event.phase === "end" && event.ok);
