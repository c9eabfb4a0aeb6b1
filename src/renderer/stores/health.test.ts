import { expect, test } from "vitest";
import { AppError } from "../../shared/errors.ts";
import type { HealthReport } from "../../shared/health.ts";
import type { NumberedEvent, StreamEvent } from "../../shared/stream.ts";
import type { Host } from "../lib/host.ts";
import { createHealth } from "./health.ts";

const report = (more: Partial<HealthReport> = {}): HealthReport => ({
  items: [],
  backups: [],
  rescues: [],
  storage: { mode: "normal" },
  checking: false,
  dataFolder: "/data",
  databaseBytes: 1,
  freeBytes: 1,
  messages: 1,
  versions: { lares: "1", schema: 3, sqlite: "3", node: "24" },
  ...more,
});

/** A host that answers as told and writes down what it was asked. */
function aHost(answers: Record<string, unknown> = {}) {
  const asked: string[] = [];
  let listener: (events: readonly NumberedEvent[]) => void = () => undefined;
  const host = {
    async call(name: string) {
      asked.push(name);
      const answer = answers[name] ?? {};
      if (answer instanceof AppError) throw answer;
      return answer;
    },
    onEvents(told: typeof listener) {
      listener = told;
      return () => undefined;
    },
  } as unknown as Host;
  return { host, asked, answers, tell: (event: StreamEvent) => listener([{ n: 1, event }]) };
}

test("the storage is known from the start, and follows each report", async () => {
  const { host, answers, tell } = aHost({ "health.report": report() });
  const health = createHealth(host, { mode: "read-only" });
  expect(health.store.getState().storage.mode).toBe("read-only");
  await health.read();
  expect(health.store.getState().storage.mode).toBe("normal");
  tell({ type: "health", report: report({ checking: true, storage: { mode: "none" } }) });
  expect(health.store.getState()).toMatchObject({ storage: { mode: "none" }, report: { checking: true } });
  answers["health.report"] = report();
  tell({ type: "reset" }); // events were lost: it is read anew
  await expect.poll(() => health.store.getState().storage.mode).toBe("normal");
});

test("what could not be done says why, and the next thing that can be takes that away", async () => {
  const { host, answers, asked } = aHost({ "health.backup": new AppError("disk-full", "No room.") });
  const health = createHealth(host, { mode: "normal" });
  await health.backUp();
  expect(health.store.getState().problem?.code).toBe("disk-full");
  answers["health.diagnostics"] = new AppError("internal", "?");
  expect(await health.diagnostics()).toBeNull();
  answers["health.diagnostics"] = { text: "figures" };
  expect(await health.diagnostics()).toBe("figures");
  await health.check();
  await health.seen();
  expect(health.store.getState().problem).toBeNull();
  expect(asked).toEqual(["health.backup", "health.diagnostics", "health.diagnostics", "health.check", "health.seen"]);
});
