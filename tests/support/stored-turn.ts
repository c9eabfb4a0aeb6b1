import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
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
