import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Problem } from "../../src/main/db/check.ts";
import type { Store } from "../../src/main/db/store.ts";
import type { NewMessage } from "../../src/shared/message.ts";

/** An empty folder that is gone after the test that asked for it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "lares-db-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A turn that has begun on an accepted message. */
export function storedTurn(store: Pick<Store, "accept" | "beginTurn">, turnId = "t", sessionId = "s"): void {
  const inboundId = `inbound of ${turnId}`;
  store.accept({ id: inboundId, sessionId, channel: "test", text: "hello", createdAt: 1 });
  store.beginTurn({ id: turnId, sessionId, inboundId, startedAt: 2 });
}

/** A complete text row of a turn, unless it says otherwise. */
export function aRow(text: string, more: Partial<NewMessage> = {}): NewMessage {
  return {
    sessionId: "s",
    turnId: "t",
    role: "user",
    status: "complete",
    parts: [{ type: "text", text }],
    createdAt: 3,
    ...more,
  };
}

/**
 * What `check` finds in the tables as such. Tests of one table put together turns as no loop would leave them: whether
 * each message and each call has what belongs to it is not asked of those.
 */
export const tableProblems = (store: Pick<Store, "check">): Problem[] =>
  store.check().filter(({ code }) => code !== "inbound" && code !== "call");
