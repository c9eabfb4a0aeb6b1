import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  answerOf,
  aRequest,
  collect,
  fakeEngine,
  noStop,
  temporaryFolder,
} from "../../../tests/support/fake-engine.ts";
import { type MetadataEntry, writeGguf } from "../../../tests/support/gguf.ts";
import { sayingModel } from "../../../tests/support/tiny-models.ts";
import { readFacts } from "./child/model-facts.ts";
import { engineEntry } from "./entry.ts";

const Metadata = z.strictObject({
  key: z.string(),
  type: z.enum(["u32", "array"]),
  items: z.literal("i8").exactOptional(),
  value: z.union([z.number(), z.array(z.number())]),
}) satisfies z.ZodType<MetadataEntry>;
const File = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ hex: z.string() }),
  z.strictObject({
    model: z.strictObject({ metadata: z.array(Metadata).exactOptional() }),
    /** Cut off at each of so many parts, in turn. */
    cutInto: z.int().optional(),
    /** What its first tensor claims. */
    tensor: z.strictObject({ offset: z.string().optional(), size: z.string().optional() }).optional(),
    name: z.string().optional(),
  }),
]);
const Case = z.strictObject({ id: z.string(), file: File, code: z.string(), words: z.string(), why: z.string() });
const rows: readonly { id: string }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../tests/hostile/models.json"), "utf8"),
);
const cases = z.array(Case).parse(rows.filter(({ id }) => id.startsWith("M")));

const realEngine = (more = {}) => fakeEngine({ entry: engineEntry(), ...more });

/** Writes the files that a row stands for. */
function* filesOf(file: z.infer<typeof File>, folder: string): Generator<string> {
  const path = join(folder, ("name" in file && file.name) || "model.gguf");
  if ("text" in file) writeFileSync(path, file.text);
  else if ("hex" in file) writeFileSync(path, Buffer.from(file.hex.replaceAll(" ", ""), "hex"));
  else {
    writeGguf(path, file.model);
    if (file.tensor) patchTensor(path, file.tensor);
    const { length } = readFileSync(path);
    const { cutInto = 1 } = file;
    for (let part = cutInto - 1; part > 0; part--) {
      truncateSync(path, Math.floor((length * part) / cutInto));
      yield path;
    }
    if (cutInto > 1) return;
  }
  yield path;
}

function patchTensor(path: string, { offset, size }: { offset?: string | undefined; size?: string | undefined }): void {
  const bytes = readFileSync(path);
  const sizes = bytes.indexOf("token_embd.weight") + "token_embd.weight".length + 4;
  if (size) bytes.writeBigUInt64LE(BigInt(size), sizes);
  if (offset) bytes.writeBigUInt64LE(BigInt(offset), sizes + 2 * 8 + 4);
  writeFileSync(path, bytes);
}

function refusalOf(path: string): unknown {
  try {
    return readFacts(path);
  } catch (thrown) {
    return thrown;
  }
}

test("the rows of the threat model that are files are all there", () => {
  expect(cases.map(({ id }) => id)).toEqual(Array.from({ length: 13 }, (_, at) => `M${at + 1}`));
});

test.each(cases)(
  "$id ($why) is named, said in words, and neither held back nor paused",
  async ({ file, code, words }) => {
    const refusal = { code, message: expect.stringMatching(new RegExp(`${words}.*(Download|Choose|Update)`, "s")) };
    let path = "";
    for (path of filesOf(file, temporaryFolder())) expect(refusalOf(path)).toMatchObject(refusal);
    const engine = realEngine();
    await expect(engine.inspect(path)).rejects.toMatchObject(refusal);
    await expect(engine.load({ path, contextTokens: 512 }, noStop())).rejects.toMatchObject(refusal);
    expect(await engine.held(path)).toBeUndefined();
  },
);

test("M14: a template that reaches for what is behind its values gets nothing of it, and the model answers", async () => {
  const engine = realEngine();
  const reaching = "{{ ''.__class__.__mro__ }}{% for m in messages %}{{ m.content }}\n{% endfor %}";
  const path = sayingModel(join(temporaryFolder(), "m.gguf"), [" fine"], { chatTemplate: reaching });
  const events = await collect(engine.chat(aRequest(), noStop(), { path, contextTokens: 512 }));
  expect(events.at(-1)?.type).toBe("finish");
  expect(JSON.stringify(events)).not.toMatch(/class|object|function/i);
});

test("M14: a template that never ends costs its child, and is said in words", async () => {
  const engine = realEngine({ limits: { pingMs: 200, stallMs: 3_000, silenceMs: 3_000 } });
  const endless = "{% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %}";
  const path = writeGguf(join(temporaryFolder(), "m.gguf"), { chatTemplate: endless });
  await expect(engine.load({ path, contextTokens: 512 }, noStop())).rejects.toMatchObject({
    code: expect.stringMatching(/engine-crashed|timeout|model-invalid/),
  });
  const good = sayingModel(join(temporaryFolder(), "good.gguf"), [" fine"]);
  expect(await answerOf(engine, { path: good, contextTokens: 512 })).toContain("fine");
});
