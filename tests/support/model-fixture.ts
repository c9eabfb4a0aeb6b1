import { createHash } from "node:crypto";
import type { ModelEntry } from "../../src/main/models/catalogue.ts";

/** An entry of a catalogue for a file with this content, from a hub and out of a Python package. */
export function entryFor(content: Buffer, more: Partial<ModelEntry> = {}): ModelEntry {
  return {
    id: "tiny",
    name: "Tiny",
    licence: "MIT",
    file: "Tiny-1B.Q4.gguf",
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
    sources: [
      { kind: "hub", repository: "someone/tiny", revision: "main", file: "tiny.gguf" },
      { kind: "python-package", name: "llm-tiny", version: "1.0", member: "llm_tiny/tiny.gguf" },
    ],
    ...more,
  };
}
