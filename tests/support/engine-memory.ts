import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryOf, sumOf } from "../../src/main/engine/memory.ts";
import type { LoadOptions, RunSettings } from "../../src/main/engine/protocol.ts";
import type { FileFacts } from "../../src/main/engine/replies.ts";
import { asks, EngineChild } from "./engine-child.ts";
import { writeGguf } from "./gguf.ts";

type Wanted = Pick<LoadOptions, "path" | "contextTokens"> & Partial<Pick<RunSettings, "cacheType" | "flashAttention">>;

/** Bytes in memory of a process, as the system counts them. */
const residentBytes = (pid = 0): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

/**
 * What a model takes by the estimate, and what the engine's real child takes more than without a model once it has
 * loaded it and read a prompt of 512 tokens.
 */
export async function measuredMemory({ path, contextTokens, ...settings }: Wanted) {
  const run: RunSettings = { gpu: "off", flashAttention: "auto", cacheType: "f16", thinking: "auto", ...settings };
  const child = new EngineChild();
  const folder = mkdtempSync(join(tmpdir(), "lares-memory-"));
  /** A file that llama.cpp itself has to look at, and refuses. */
  const refused = writeGguf(join(folder, "future.gguf"), { architecture: "future9" });
  try {
    const { shape } = await child.ask<FileFacts>({ type: "inspect", path });
    await child.refusal({ type: "load", options: { path: refused, contextTokens } }); // the library is up
    const before = residentBytes(child.process.pid);
    await child.load({ path, contextTokens, run });
    await child.chat(asks(await wordsFor(child, 512), { maxOutputTokens: 8 }));
    const real = residentBytes(child.process.pid) - before;
    return { estimate: sumOf(memoryOf(shape, { window: contextTokens, ...settings })), real };
  } finally {
    rmSync(folder, { recursive: true });
    await child.stop();
  }
}

async function wordsFor(child: EngineChild, tokens: number): Promise<string> {
  const [each = 1] = await child.ask<number[]>({ type: "count", texts: [" dragon".repeat(10)] });
  return " dragon".repeat(Math.ceil((10 * tokens) / each));
}
