import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "electron-vite";

/** Main is built file by file, so that `out/` mirrors `src/`: a path relative to a file is the same in both. */
const mirror = { preserveModules: true, preserveModulesRoot: resolve("src/main"), entryFileNames: "[name].js" };

const decodeWithTable = resolve("node_modules/decode-named-character-reference/index.js");

/** Three processes, three builds. What is started by its file is an entry of its own. */
export default defineConfig({
  main: {
    build: {
      rollupOptions: {
        input: [
          "src/main/index.ts",
          "src/main/cli.ts",
          "src/main/engine/child/main.ts",
          "src/main/db/maintenance/worker.ts",
        ].map((file) => resolve(file)),
        output: mirror,
      },
    },
  },
  preload: { build: { rollupOptions: { output: { format: "cjs", entryFileNames: "[name].cjs" } } } },
  renderer: {
    plugins: [react()],
    // Its variant for browsers decodes &amp; through innerHTML, which the page's policy forbids.
    resolve: { alias: { "decode-named-character-reference": decodeWithTable } },
    build: {
      minify: true,
      // Nothing is folded into a data: address: the page's policy lets fonts come from its own files only.
      assetsInlineLimit: 0,
      // In order, because the page tells zod not to make code before anything of zod runs.
      rolldownOptions: { output: { strictExecutionOrder: true } },
    },
  },
});
