import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChatHistoryItem, type ChatWrapper, getLlama, LlamaLogLevel, type LlamaModel } from "node-llama-cpp";
import { afterAll, describe, expect, test } from "vitest";
import { chatmlTemplate, qwenTemplate } from "../../../../tests/support/chat-templates.ts";
import { type GgufModel, writeGguf } from "../../../../tests/support/gguf.ts";
import { starterModel } from "../../../../tests/support/starter.ts";
import { decorateWrapper, findWrapper, knowsTools, mustDropBos, quiet } from "./wrapper.ts";

const folder = mkdtempSync(join(tmpdir(), "wrapper-"));
afterAll(() => rmSync(folder, { recursive: true }));
const llama = await getLlama({ gpu: false, build: "never", progressLogs: false, logLevel: LlamaLogLevel.disabled });
let files = 0;

const load = (path: string) => llama.loadModel({ modelPath: path });
const tiny = (model: GgufModel) => load(writeGguf(join(folder, `${files++}.gguf`), model));
const chatml = (more: GgufModel) => tiny({ chatTemplate: chatmlTemplate, ...more });
const qwen = () => tiny({ architecture: "qwen2", chatTemplate: qwenTemplate });

const question: ChatHistoryItem[] = [
  { type: "system", text: "Be brief." },
  { type: "user", text: "Hi" },
  { type: "model", response: [] },
];
const readFile = { read_file: { description: "Reads.", params: { type: "object" as const } } };

/** The prompt as text with its special tokens, and whether it begins with two BOS. */
function promptOf(model: LlamaModel, chatHistory: ChatHistoryItem[], tools?: typeof readFile) {
  const { wrapper } = findWrapper(model);
  const decorated = decorateWrapper(wrapper, { dropBos: mustDropBos(model, wrapper), tools });
  const tokens = decorated.generateContextState({ chatHistory }).contextText.tokenize(model.tokenizer);
  const { bos } = model.tokens;
  return { text: model.detokenize(tokens, true), twice: bos !== null && tokens[0] === bos && tokens[1] === bos };
}

describe("the prompt of a model", () => {
  test("does not begin twice with the token that begins each message (the starter model)", async () => {
    const model = await load(await starterModel());
    expect(promptOf(model, question)).toEqual({
      text: "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n",
      twice: false,
    });
  });

  test.each([
    { name: "is not asked for", model: { bos: "<|im_start|>" }, start: "<|im_start|>system" },
    {
      name: "is asked for and begins each message",
      model: { bos: "<|im_start|>", addBos: true },
      start: "<|im_start|>system",
    },
    { name: "is asked for", model: { bos: "<|endoftext|>", addBos: true }, start: "<|endoftext|><|im_start|>system" },
    { name: "is another and not asked for", model: { bos: "<|endoftext|>" }, start: "<|im_start|>system" },
  ])("begins with one BOS at most when it $name", async ({ model, start }) => {
    const { text, twice } = promptOf(await chatml(model), question);
    expect({ start: text.slice(0, start.length), twice }).toEqual({ start, twice: false });
  });

  test("keeps thoughts of earlier turns, and results as they were written", async () => {
    const history: ChatHistoryItem[] = [
      { type: "user", text: "Look" },
      {
        type: "model",
        response: [
          { type: "segment", segmentType: "thought", text: "Hm", ended: true },
          {
            type: "functionCall",
            name: "read_file",
            params: { path: "a" },
            result: 'line 1\n"two"',
            startsNewChunk: true,
          },
          "Done.",
        ],
      },
      { type: "user", text: "Thanks" },
    ];
    const { text } = promptOf(await qwen(), history);
    expect(text).toContain("<think>\nHm\n</think>");
    expect(text).toContain('<tool_response>\nline 1\n"two"\n</tool_response>');
  });

  test("tells of the tools whether or not the library is given them", async () => {
    const model = await qwen();
    expect(promptOf(model, question, readFile).text).toContain('"name": "read_file"');
    expect(promptOf(model, question).text).not.toContain("read_file");
  });
});

describe("the wrapper of a model", () => {
  test("is found by the template, and made again by its name", async () => {
    const model = await qwen();
    const found = findWrapper(model);
    const again = findWrapper(model, found.name);
    expect(found.name).toBe("qwen");
    expect({ ...again.wrapper }).toEqual({ ...found.wrapper });
  });

  test.each([
    { template: "Qwen's", make: qwen, tools: true },
    { template: "plain ChatML's", make: () => chatml({}), tools: false },
    {
      template: "an unknown one's without tools",
      make: () =>
        tiny({ chatTemplate: "{% for message in messages %}[{{ message.role }}] {{ message.content }}\n{% endfor %}" }),
      tools: false,
    },
  ])("knows tools by $template own syntax", async ({ make, tools }) => {
    expect(knowsTools(findWrapper(await make()).wrapper)).toBe(tools);
  });
});

describe("a model that is to think as little as it can", () => {
  const lastOf = (model: LlamaModel, how: (wrapper: ChatWrapper) => ChatWrapper) => {
    const { wrapper } = findWrapper(model);
    const { contextText } = how(wrapper).generateContextState({ chatHistory: question });
    return model.detokenize(contextText.tokenize(model.tokenizer), true);
  };
  const asItIs = (wrapper: ChatWrapper) => wrapper;

  test("is given a thought that has ended (Qwen), and keeps its name and its tools", async () => {
    const model = await qwen();
    expect(lastOf(model, asItIs)).toMatch(/assistant\n$/);
    expect(lastOf(model, quiet)).toMatch(/assistant\n<think>\s*<\/think>\s*$/);
    expect(knowsTools(quiet(findWrapper(model).wrapper))).toBe(true);
  });

  test("is told so by its own template", async () => {
    const template = `{% if enable_thinking is defined and not enable_thinking %}Do not think.
{% endif %}{% for message in messages %}## {{ message.role }}: {{ message.content }}
{% endfor %}{% if add_generation_prompt %}## assistant: {% endif %}`;
    const model = await tiny({ chatTemplate: template });
    expect(findWrapper(model).name).toBe("jinjaTemplate");
    expect(lastOf(model, quiet)).toContain("Do not think.");
    expect(lastOf(model, asItIs)).not.toContain("Do not think.");
  });

  test("is as it was where its template knows no thoughts", async () => {
    const model = await chatml({});
    expect(lastOf(model, quiet)).toBe(lastOf(model, asItIs));
  });
});
