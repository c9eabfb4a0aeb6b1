import { chatmlTemplate, qwenTemplate } from "./chat-templates.ts";
import { type GgufModel, writeGguf } from "./gguf.ts";

/** What every prompt of these models ends with, and so what every answer follows. */
const promptEnd = "\n";
const end = "<|im_end|>";

/** Answers every prompt with these tokens. */
export const sayingModel = (file: string, tokens: readonly string[], more: GgufModel = {}): string =>
  writeGguf(file, { chatTemplate: chatmlTemplate, script: [[promptEnd, ...tokens, end]], ...more });

/** Answers every prompt with words and never stops. */
export const endlessModel = (file: string, more: GgufModel = {}): string =>
  writeGguf(file, { chatTemplate: chatmlTemplate, script: [[promptEnd, " one", " two", " three", " one"]], ...more });

/** Thinks, then answers. */
export const thinkingModel = (file: string): string =>
  writeGguf(file, {
    architecture: "qwen2",
    chatTemplate: qwenTemplate,
    script: [[promptEnd, "<think>", "\nLet me", " see.\n", "</think>", "\n\nHere", " it is.", end]],
  });

/** Answers every prompt with one call, in Qwen's syntax, of `name` with these arguments as JSON. */
export const callingModel = (file: string, name: string, input: string, architecture = "qwen2"): string =>
  writeGguf(file, {
    architecture,
    chatTemplate: qwenTemplate,
    script: [
      [promptEnd, "<tool_call>", '\n{"name": "', name],
      // What stands before the arguments ends in a space.
      [" ", input, "\n\n\n\n"],
    ],
  });

/** Aborts llama.cpp while it is loaded, and with it the process. */
export const abortingModel = (file: string): string => writeGguf(file, { heads: 0 });
