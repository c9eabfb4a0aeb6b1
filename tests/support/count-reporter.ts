import type { Reporter, SerializedError, TestModule } from "vitest/node";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Ends a run with `N passed, N failed` alone on a line, for readers that know nothing of vitest. Must be the last reporter. */
export function createCountReporter(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const { passed, failed, skipped } = countTests(modules, unhandledErrors);
      if (skipped > 0) process.stdout.write(`${skipped} skipped\n`);
      process.stdout.write(`${passed} passed, ${failed} failed\n`);
    },
  };
}

/** Counts tests. A file that broke outside its tests, an error that no test caught, and a run of nothing are one failure each. */
export function countTests(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    const states = [...module.children.allTests()].map((test) => test.result().state);
    const failed = states.filter((state) => state === "failed").length;
    counts.passed += states.filter((state) => state === "passed").length;
    counts.failed += module.state() === "failed" ? Math.max(failed, 1) : failed;
    counts.skipped += states.filter((state) => state === "skipped" || state === "pending").length;
  }
  return counts.passed + counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}
