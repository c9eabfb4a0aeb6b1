import { defineConfig } from "vitest/config";
import { createCountReporter } from "./tests/support/count-reporter.ts";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: ["tests/planted/**", "node_modules/**"],
    globalSetup: ["tests/support/global-setup.ts"],
    reporters: ["default", createCountReporter()],
    testTimeout: 30_000,
  },
});
