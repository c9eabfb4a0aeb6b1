import { type CloudOverview, type CloudPreset, type Leaving, modelOfPreset } from "../../shared/cloud.ts";
import { AppError } from "../../shared/errors.ts";
import type { Road } from "./road.ts";

interface ToCloud {
  readonly road: Pick<Road, "call">;
  readonly sessionId: string;
  /** A preset, by its name or its id. */
  readonly name: string;
  readonly say: (text: string) => void;
}

/**
 * `--cloud NAME`: a chat is answered by a cloud model from now on. To write the flag is to allow it for this chat; what will
 * leave is said first. Throws AppError: not-found, bad-request, never-cloud.
 */
export async function toCloud({ road, sessionId, name, say }: ToCloud): Promise<void> {
  const preset = chosen(name, await road.call("cloud.overview", {}));
  const leaving = await road.call("chats.leaving", { chatId: sessionId, presetId: preset.id });
  if (leaving.never) throw new AppError("never-cloud", "This chat is marked never to leave the computer.");
  const { settings } = await road.call("app.hello", {});
  if (leaving.place !== "this-computer" && settings.localMode) {
    await road.call("settings.change", { change: { localMode: false } });
    say("Local mode is off from now on: npm run -s network -- local on turns it on again.\n");
  }
  await road.call("chats.allow", { chatId: sessionId, connectionId: leaving.connectionId, allowed: true });
  await road.call("chats.model", { chatId: sessionId, model: modelOfPreset(preset.id) });
  say(`${whatLeaves(leaving)}\n`);
}

/** A name that two connections use picks neither: a message never goes to a place that was not meant. */
function chosen(name: string, { presets, connections }: CloudOverview): CloudPreset {
  const named = presets.filter((one) => one.name === name);
  const preset = presets.find(({ id }) => id === name) ?? named[0];
  if (!preset) {
    const known =
      presets.length === 0 ? "There is none yet" : `There are: ${presets.map((one) => one.name).join(", ")}`;
    throw new AppError(
      "not-found",
      `There is no cloud model "${name}". ${known}. npm run -s cloud -- --help sets one up.`,
    );
  }
  if (preset.id === name || named.length === 1) return preset;
  const where = (of: CloudPreset) => connections.find(({ id }) => id === of.connectionId)?.name ?? of.connectionId;
  const each = named.map((one) => `${one.id} (${where(one)})`).join(", ");
  throw new AppError(
    "bad-request",
    `${named.length} cloud models are called "${name}". Name one by its number: ${each}.`,
  );
}

function whatLeaves({ name, host, place, messages, documents, gaps }: Leaving): string {
  const where = place === "this-computer" ? `${host}, on this computer` : host;
  const files = documents.length === 0 ? "" : `, with what was read of ${documents.join(", ")}`;
  const kept = gaps === 0 ? "" : `; ${gaps} marked texts stay here`;
  return `To ${name} (${where}): ${messages === 1 ? "this message" : `${messages} messages`}${files}${kept}.`;
}
