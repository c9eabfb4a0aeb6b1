import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { AppError } from "../../src/shared/errors.ts";
import { Purpose } from "../../src/shared/network.ts";
import { aDoor } from "./door.ts";

const Case = z.strictObject({
  id: z.string(),
  what: z.string(),
  input: z.string(),
  names: z.record(z.string(), z.array(z.array(z.string()))).default({}),
  errand: z
    .object({ purpose: Purpose, granted: z.string().exactOptional(), byHand: z.boolean().exactOptional() })
    .default({ purpose: "hub-search" }),
  localMode: z.boolean().default(false),
  expected: z.object({ code: z.string(), reached: z.array(z.string()).default([]) }),
});
export type HostileRequest = z.infer<typeof Case>;

const file = join(import.meta.dirname, "../hostile/network.json");
export const hostileRequests = z
  .object({ about: z.string(), requests: z.array(Case) })
  .parse(JSON.parse(readFileSync(file, "utf8"))).requests;

/** Makes one request through a door of its own: the code it was refused with or the status, how it was told, and the rows it has. */
export async function ask({ input, names, errand, localMode }: HostileRequest) {
  const asked: string[] = [];
  const resolve = async (host: string): Promise<string[]> => {
    const answers = names[host] ?? [];
    asked.push(host);
    return answers[Math.min(asked.filter((one) => one === host).length, answers.length) - 1] ?? [];
  };
  const limits = { wholeMs: 1500, headersMs: 1000 };
  const door = aDoor({ resolve, limits, isLocalMode: () => localMode });
  const outcome = await read(door.visit(errand).fetch(input));
  return { ...outcome, asked, rows: door.rows() };
}

async function read(response: Promise<Response>): Promise<{ code: string; words: string }> {
  try {
    const { status, body } = await response;
    for await (const _ of body ?? []) {
      // to its end
    }
    return { code: String(status), words: "" };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return { code: thrown.code, words: thrown.message };
  }
}
