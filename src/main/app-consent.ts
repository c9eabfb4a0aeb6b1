import type { CloudConnection, Leaving } from "../shared/cloud.ts";
import { AppError } from "../shared/errors.ts";
import { cargoOf, documentsIn } from "./agent/cargo.ts";
import { isFromBeyond, withhold } from "./agent/withheld.ts";
import type { Store } from "./db/store.ts";

/** Rows of a chat that a person is told of before they leave. */
const MOST_ROWS = 2000;

/** Throws consent-needed, never-cloud. What a program on this computer gets has not left it. */
export function requireConsent(store: Store, chatId: string, { id, name, place }: CloudConnection): void {
  if (place === "this-computer") return;
  if (store.isMarked("chat", chatId))
    throw new AppError("never-cloud", "This chat is marked never to leave the computer. Choose a local model.");
  if (!store.mayLeave(chatId, id))
    throw new AppError("consent-needed", `This chat has not been allowed to go to ${name}. Allow it, or stay local.`);
}

/** What would leave this computer with the next message of a chat, were it answered over this connection. */
export function leavingFor(store: Store, chatId: string, connection: CloudConnection, workspace: string): Leaving {
  const rows = store.page(chatId, { limit: MOST_ROWS }).filter(({ kind }) => kind === "chat");
  const { gaps, rows: leaving } = withhold(rows, {
    marks: store.marks(),
    workspace,
    wentOut: (turnId) => isFromBeyond(store.requests(turnId)),
  });
  return {
    connectionId: connection.id,
    name: connection.name,
    host: new URL(connection.baseUrl).host,
    place: connection.place,
    messages: cargoOf(leaving).messages + 1,
    documents: documentsIn(leaving),
    images: leaving.flatMap(({ parts }) => parts).filter(({ type }) => type === "image").length,
    gaps,
    allowed: connection.place === "this-computer" || store.mayLeave(chatId, connection.id),
    never: store.isMarked("chat", chatId),
  };
}
