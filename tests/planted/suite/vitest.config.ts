import { defineConfig } from "vitest/config";
import { createCountReporter } from "../../support/count-reporter.ts";

export default defineConfig({
  cacheDir: "../../../node_modules/.vite",
  test: { include: ["*.test.ts"], reporters: ["default", createCountReporter()] },
});
