import type { Desk, Reply } from "../../src/shared/bridge.ts";
import type { WireError } from "../../src/shared/errors.ts";
import type { HealthReport } from "../../src/shared/health.ts";
import type { StreamBatch } from "../../src/shared/stream.ts";

/** A report in which nothing is wrong. */
export const goodReport: HealthReport = {
  items: [
    { id: "storage", state: "good", at: 1_780_000_000_000, details: [] },
    { id: "integrity", state: "good", at: 1_780_000_000_000, details: [] },
    { id: "backup", state: "good", at: 1_780_000_000_000, details: [] },
    { id: "space", state: "good", at: 1_780_000_000_000, details: ["84,210 MB are free."] },
  ],
  backups: [
    { name: "lares-2026-05-28.db", kind: "daily", at: 1_780_000_000_000, bytes: 8_400_000 },
    { name: "lares-2026-05-24.db", kind: "weekly", at: 1_779_600_000_000, bytes: 8_100_000 },
    { name: "lares-schema-2.db", kind: "before-migration", at: 1_779_000_000_000, bytes: 7_900_000 },
  ],
  rescues: [],
  storage: { mode: "normal" },
  checking: false,
  dataFolder: "/home/ada/.local/share/lares",
  databaseBytes: 8_400_000,
  freeBytes: 84_210_000_000,
  messages: 2_431,
  versions: { lares: "0.1.0", schema: 3, sqlite: "3.53.1", node: "v24.21.0" },
};

/** The same, after a damaged file was set aside. */
export const rescuedReport: HealthReport = {
  ...goodReport,
  items: [
    ...goodReport.items.slice(0, 2),
    { id: "rescue", state: "attention", at: 1_780_000_000_000, details: ["3 messages could not be read."] },
    {
      id: "backup",
      state: "bad",
      at: 1_780_000_000_000,
      code: "disk-full",
      details: ["The last backup could not be written."],
    },
    { id: "search", state: "unknown", details: [] },
  ],
  rescues: [
    {
      at: 1_780_000_000_000,
      keptAs: "/home/ada/.local/share/lares/set-aside/2026-05-28 22-26-40",
      recovered: 2_428,
      total: 2_431,
      base: "lares-2026-05-28.db",
      seen: false,
    },
  ],
};

/**
 * Puts a desk in front of the app's own, for the pages that are opened from now on: it tells of the data what a test
 * wants to see told, and refuses calls as the test says. All else is the real thing.
 */
export function tellHealth(app: { readonly desk: Desk }, first: HealthReport) {
  const { desk } = app;
  const posts = new Set<(events: StreamBatch["events"]) => void>();
  const refused = new Map<unknown, WireError>();
  const asked: unknown[] = [];
  let report = first;

  function tell(change: Partial<HealthReport>): void {
    report = { ...report, ...change };
    for (const post of posts) post([{ n: 0, event: { type: "health", report } }]);
  }

  const answers: Record<string, () => unknown> = {
    "health.report": () => report,
    "health.check": () => ({}),
    "health.backup": () => ({}),
    "health.diagnostics": () => ({ text: "lares 0.1.0, schema 3" }),
    "health.seen": () => {
      tell({ rescues: report.rescues.map((rescue) => ({ ...rescue, seen: true })) });
      return {};
    },
  };

  const connect: Desk["connect"] = (shell, postBatch) => {
    /** The app's own number of each batch: it does not know of those that are told here. */
    const own = [0];
    const post = (events: StreamBatch["events"], seq = own.at(-1) ?? 0) => {
      own.push(seq);
      postBatch({ seq: own.length - 1, events });
    };
    const client = desk.connect(shell, ({ seq, events }) => post(events, seq));
    posts.add(post);
    const hello = (reply: Reply): Reply =>
      reply.ok ? { ok: true, value: { ...Object(reply.value), storage: report.storage } } : reply;

    async function call(name: unknown, input: unknown): Promise<Reply> {
      const error = refused.get(name);
      if (error) return { ok: false, error };
      if (name === "stream.ack") return client.call(name, { seq: own[Number(Object(input).seq)] });
      if (name === "app.hello") return hello(await client.call(name, input));
      const answer = answers[String(name)];
      if (!answer) return client.call(name, input);
      asked.push(name);
      return { ok: true, value: answer() };
    }

    return {
      call,
      close() {
        posts.delete(post);
        client.close();
      },
    };
  };
  Object.assign(app, { desk: { connect } });
  return { tell, asked, refuse: refused.set.bind(refused), allow: refused.delete.bind(refused) };
}
