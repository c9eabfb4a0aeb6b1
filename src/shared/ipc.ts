import { z } from "zod";
import { HealthReport, Storage } from "./health.ts";
import { call } from "./ipc-call.ts";
import { cloudContract } from "./ipc-cloud.ts";
import { modelsContract } from "./ipc-models.ts";
import { Settings, SettingsChange } from "./settings.ts";
import { Decision } from "./turn.ts";
import { ChatHit, ChatSnapshot, ChatSummary, FetchState, Id, TurnView } from "./views.ts";

const nothing = z.strictObject({});
const chat = z.strictObject({ chatId: Id });
const turn = z.strictObject({ turnId: Id });
const text = z.string().max(900_000);

/** What the page needs to know of the place it is in. */
export const Hello = z.object({
  version: z.string(),
  shell: z.enum(["window", "browser", "terminal"]),
  platform: z.string(),
  settings: Settings,
  folders: z.object({ data: z.string(), models: z.string(), workspace: z.string() }),
  fetches: z.array(FetchState),
  storage: Storage,
});
export type Hello = z.infer<typeof Hello>;

/**
 * Everything a page may ask of the assistant. To add a call: one entry here, one handler in main/ipc. Inputs are strict,
 * because the page shows text that a model wrote; outputs are parsed too, which strips what is not promised.
 */
export const contract = {
  "app.hello": call(nothing, Hello),

  "chats.list": call(nothing, z.object({ chats: z.array(ChatSummary) })),
  /** An id for a new chat. The chat is there from its first message on. */
  "chats.create": call(z.strictObject({ private: z.boolean() }), z.object({ chatId: Id })),
  /** `through`: at least back to this turn, on the branch that has it. */
  "chats.open": call(z.strictObject({ chatId: Id, through: Id.optional() }), ChatSnapshot),
  /** The turns before this one. */
  "chats.earlier": call(
    z.strictObject({ chatId: Id, before: Id }),
    z.object({ turns: z.array(TurnView), hasEarlier: z.boolean() }),
  ),
  "chats.rename": call(z.strictObject({ chatId: Id, title: z.string().trim().min(1).max(120) }), ChatSummary),
  "chats.pin": call(z.strictObject({ chatId: Id, pinned: z.boolean() }), ChatSummary),
  /** It can be brought back for a minute; then its rows are gone for good. */
  "chats.delete": call(chat, nothing),
  "chats.restore": call(chat, ChatSummary),
  /** null: the default. */
  "chats.model": call(z.strictObject({ chatId: Id, model: z.string().max(4096).nullable() }), ChatSummary),
  "chats.draft": call(z.strictObject({ chatId: Id, text }), nothing),
  "chats.search": call(
    z.strictObject({ query: z.string().max(1000), limit: z.int().min(1).max(200) }),
    z.object({ hits: z.array(ChatHit) }),
  ),

  /** Sending the same `inboundId` again changes nothing. `replaces`: ask this turn again, as a branch. */
  "turns.send": call(
    z.strictObject({ chatId: Id, inboundId: Id, text, replaces: Id.optional() }),
    z.object({ inboundId: Id, repaired: z.boolean() }),
  ),
  /** Ends the wait before the next try. */
  "turns.retryNow": call(chat, nothing),
  "turns.stop": call(chat, z.object({ stopped: z.boolean(), drafts: z.number() })),
  /** Goes on with a turn that a crash interrupted: the same turn, the same rows. */
  "turns.continue": call(turn, nothing),
  /** Leaves an interrupted turn as it is, or puts away the word about one. */
  "turns.dismiss": call(turn, nothing),
  /** What became of a call whose outcome is unknown. After the last one the turn goes on. */
  "calls.decide": call(z.strictObject({ turnId: Id, callId: z.string().max(200), decision: Decision }), nothing),
  /** What a crash left to be decided or seen, in all chats, oldest first. */
  "turns.left": call(nothing, z.object({ left: z.array(z.object({ chatTitle: z.string(), view: TurnView })) })),
  /** Shows the branch with this turn. */
  "turns.show": call(turn, nothing),
  "turns.get": call(turn, TurnView),
  /** Exactly what was sent to the model, as JSON; null: too long ago, not kept any more. */
  "turns.sent": call(z.strictObject({ turnId: Id, number: z.int().min(1) }), z.object({ sent: z.string().nullable() })),
  /** A waiting message or a draft: let it go on, or drop it. */
  "waiting.send": call(z.strictObject({ inboundId: Id }), nothing),
  /** Into the running answer at its next safe point, or after it. */
  "waiting.when": call(z.strictObject({ inboundId: Id, when: z.enum(["now", "after"]) }), nothing),
  "waiting.drop": call(z.strictObject({ inboundId: Id }), nothing),

  "goals.change": call(z.strictObject({ chatId: Id, action: z.enum(["pause", "resume", "cancel"]) }), nothing),

  /** What was looked at, when, and what is wrong. */
  "health.report": call(nothing, HealthReport),
  /** Looks at everything now; how it goes is told as events. */
  "health.check": call(nothing, nothing),
  "health.backup": call(nothing, nothing),
  /** The word about a rescue was read. */
  "health.seen": call(nothing, nothing),
  /** For a report of a problem: figures and versions, nothing that was said. */
  "health.diagnostics": call(nothing, z.object({ text: z.string() })),

  ...modelsContract,
  ...cloudContract,

  "settings.change": call(z.strictObject({ change: SettingsChange }), Settings),

  "shell.pickFile": call(
    z.strictObject({ kind: z.enum(["model", "folder"]) }),
    z.object({ supported: z.boolean(), path: z.string().nullable() }),
  ),
  "shell.saveText": call(
    z.strictObject({ name: z.string().max(200), text }),
    z.object({ supported: z.boolean(), saved: z.boolean() }),
  ),
  "shell.openLink": call(z.strictObject({ url: z.string().max(2081) }), z.object({ supported: z.boolean() })),
  "shell.showFolder": call(
    z.strictObject({ folder: z.enum(["data", "models", "workspace"]) }),
    z.object({ supported: z.boolean() }),
  ),
  "shell.newWindow": call(nothing, z.object({ supported: z.boolean(), address: z.string().nullable() })),

  "stream.ack": call(z.strictObject({ seq: z.int().min(0) }), nothing),
};

export type CallName = keyof typeof contract;
export type CallInput<N extends CallName> = z.input<(typeof contract)[N]["input"]>;
export type CallParsed<N extends CallName> = z.output<(typeof contract)[N]["input"]>;
export type CallOutput<N extends CallName> = z.output<(typeof contract)[N]["output"]>;
