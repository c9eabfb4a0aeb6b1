import fc from "fast-check";
import { expect, test } from "vitest";
import { createStore } from "../db/store.ts";
import { createRowCache } from "./row-cache.ts";
import type { Store } from "./store.ts";

function aSession(rows: number) {
  const store = createStore(":memory:");
  for (const session of ["s", "other"]) {
    store.accept({ id: `m-${session}`, sessionId: session, channel: "test", text: "q", createdAt: 1 });
    store.beginTurn({ id: `t-${session}`, sessionId: session, inboundId: `m-${session}`, startedAt: 1 });
  }
  const add = (session = "s", status: "complete" | "streaming" = "complete") =>
    store.append({ sessionId: session, turnId: `t-${session}`, role: "assistant", status, parts: [], createdAt: 1 });
  for (let n = 0; n < rows; n++) add();
  return { store, add };
}

/** Counts what is read from the store. */
function counting(store: Pick<Store, "page">) {
  const seen = { rows: 0 };
  const page: Store["page"] = (sessionId, options) => {
    const rows = store.page(sessionId, options);
    seen.rows += rows.length;
    return rows;
  };
  return { seen, page };
}

test("whatever was asked before, a page is the store's own page", () => {
  const step = fc.oneof(
    fc.record({ before: fc.integer({ min: 1, max: 400 }), limit: fc.integer({ min: 1, max: 90 }) }),
    fc.constant("add" as const),
    fc.constant("other" as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { store, add } = aSession(150);
      const cache = createRowCache(store);
      for (const next of steps) {
        if (next === "add") add();
        else if (next === "other") add("other");
        else expect(cache.page("s", next)).toEqual(store.page("s", next));
      }
    }),
    { numRuns: 60 },
  );
});

test("what was read once is not read again, and new rows are", () => {
  const { store, add } = aSession(1000);
  const { seen, page } = counting(store);
  const cache = createRowCache({ page });
  cache.page("s", { before: 2000, limit: 500 });
  add();
  seen.rows = 0;
  expect(cache.page("s", { before: 2000, limit: 500 }).at(-1)?.id).toBe(1001);
  expect(seen.rows).toBeLessThanOrEqual(16);
});

test("a row that is still being written is never kept", () => {
  const { store, add } = aSession(3);
  const cache = createRowCache(store);
  cache.page("s", { before: 100, limit: 9 });
  const { id } = add("s", "streaming");
  cache.page("s", { before: 100, limit: 9 });
  store.finish(id, { parts: [{ type: "text", text: "done" }], status: "complete", finishedAt: 2 });
  expect(cache.page("s", { before: 100, limit: 9 }).at(-1)?.parts).toEqual([{ type: "text", text: "done" }]);
});
