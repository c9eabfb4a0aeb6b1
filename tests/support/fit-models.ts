import { chatmlTemplate } from "./chat-templates.ts";
import type { GgufModel } from "./gguf.ts";

const model = (more: GgufModel): GgufModel => ({ chatTemplate: chatmlTemplate, window: 8192, ...more });

/** Models of different shapes, types and vocabularies, that take 200 MB and more with their window: zeros that cost no disk. */
export const fitModels: Readonly<Record<string, GgufModel>> = {
  "F16, many heads": model({ type: "f16", width: 512, layers: 8, feedForward: 2048, heads: 8, keyHeads: 8 }),
  "Q4_0, copied by the processor": model({
    ...{ type: "q4_0", width: 1024, layers: 10, feedForward: 4096, heads: 16, keyHeads: 4 },
  }),
  "Q4_K, copied by the processor": model({
    ...{ type: "q4_K", width: 1024, layers: 8, feedForward: 4096, heads: 16, keyHeads: 4, vocabulary: 30_000 },
  }),
  "Q6_K, a large cache": model({
    ...{ type: "q6_K", width: 1024, layers: 6, feedForward: 2048, heads: 16, keyHeads: 16 },
  }),
  "Q8_0, deep and narrow": model({
    ...{ type: "q8_0", width: 512, layers: 30, feedForward: 1024, heads: 8, keyHeads: 4 },
  }),
  "Q8_0, a large vocabulary": model({
    ...{
      type: "q8_0",
      architecture: "qwen2",
      width: 512,
      layers: 8,
      feedForward: 1024,
      heads: 8,
      keyHeads: 4,
      vocabulary: 60_000,
    },
  }),
};
