import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { knownCard } from "../../../tests/support/engine-child.ts";
import { writeGguf } from "../../../tests/support/gguf.ts";
import { aStateFolder, ask, begin, longText, type Said } from "../../../tests/support/state-folder.ts";

/** A place in a file: from its end when negative, a part of it between 0 and 1. */
const Place = z.number();
const Input = z.strictObject({
  file: z.enum(["state", "head", "key"]),
  flip: Place.optional(),
  cutTo: Place.optional(),
  /** Hexadecimal, over what stands at this place. */
  fill: z.strictObject({ at: Place, bytes: z.string() }).optional(),
  append: z.string().optional(),
  text: z.string().optional(),
  instead: z.enum(["nothing", "folder", "of another chat"]).optional(),
});
const Case = z.strictObject({ id: z.string(), input: Input, expected: z.string(), why: z.string() });
const cases = z
  .array(Case)
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "../../../tests/hostile/states.json"), "utf8")));

const home = mkdtempSync(join(tmpdir(), "lares-states-"));
afterAll(() => rmSync(home, { recursive: true }));
const model = { path: writeGguf(join(home, "model.gguf"), { layers: 2 }), contextTokens: 2048, card: knownCard };
const chats = { a: begin(longText("apple")), b: begin(longText("berry")) };
let saving: Promise<Said> | undefined;

/** Two chats with a state each, saved once for all tests; resolves with the answer that the first was given. */
function saved(): Promise<Said> {
  saving ??= (async () => {
    const engine = aStateFolder({ folder: join(home, "saved") }).start();
    await ask(engine, model, "b", chats.b);
    await engine.unload();
    const said = await ask(engine, model, "a", chats.a);
    await engine.close();
    return said;
  })();
  return saving;
}

/** A chat's own header or state, or the key of the folder. */
function fileOf(folder: string, file: "state" | "head" | "key", chat: "a" | "b"): string {
  const start = createHash("sha256").update(chat).digest("hex").slice(0, 24);
  const isMeant = (name: string) => name.startsWith(start) && name.endsWith(".head") === (file === "head");
  return join(folder, file === "key" ? "key" : (readdirSync(folder).find(isMeant) ?? "none"));
}

function spoil(folder: string, { file, flip, cutTo, fill, append, text, instead }: z.infer<typeof Input>): void {
  const path = fileOf(folder, file, "a");
  const bytes = readFileSync(path);
  const at = (place: number) =>
    Number.isInteger(place) ? (place + bytes.length) % bytes.length : Math.floor(place * bytes.length);
  if (flip !== undefined) bytes[at(flip)] = (bytes[at(flip)] ?? 0) ^ 1;
  if (fill) Buffer.from(fill.bytes, "hex").copy(bytes, at(fill.at));
  if (instead) rmSync(path);
  if (instead === "folder") mkdirSync(path);
  else if (instead === "of another chat") cpSync(fileOf(folder, file, "b"), path);
  else if (!instead) writeFileSync(path, text ?? (cutTo === undefined ? bytes : bytes.subarray(0, at(cutTo))));
  if (append !== undefined) appendFileSync(path, Buffer.from(append, "hex"));
}

test.each(cases)("$id, $why: the chat is read again, and the log has a reason", async ({ input, expected }) => {
  const { text, usage } = await saved();
  const folder = mkdtempSync(join(home, "spoilt-"));
  cpSync(join(home, "saved"), folder, { recursive: true });
  spoil(folder, input);
  const { start, lines } = aStateFolder({ folder });
  const engine = start();
  const said = await ask(engine, model, "a", chats.a);
  expect(said).toMatchObject({ text, usage: { inputTokens: usage.inputTokens, reusedTokens: 0 } });
  const reasons = lines.flatMap(({ event, fields }) => (event === "state.refused" ? [fields.why] : []));
  expect(reasons.includes(expected)).toBe(expected !== "none");
  await engine.close();
  expect(readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory())).toEqual([]);
});

test("a state that nobody has touched is used", async () => {
  const { text, usage } = await saved();
  const said = await ask(aStateFolder({ folder: join(home, "saved") }).start(), model, "a", chats.a);
  expect(said).toMatchObject({ text, usage: { reusedTokens: usage.inputTokens - 1 } });
});
