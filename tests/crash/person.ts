import type { App } from "../../src/main/app.ts";
import { AppError } from "../../src/shared/errors.ts";
import type { TurnEvent } from "../../src/shared/events.ts";
import { callsOf } from "../../src/shared/message.ts";
import type { Decision, TurnRecord } from "../../src/shared/turn.ts";
import { type Fact, factsIn, note } from "./evidence.ts";
import { type Defect, followUpText, taskText } from "./scene.ts";

export const chat = "s";

/** What a person does about what a crash left: goes on, lets it be, or looks only. */
export type Habit = "continue" | "dismiss" | "look";

export interface PersonOptions {
  readonly app: App;
  readonly workspace: string;
  readonly defect?: Defect | undefined;
  /** Says "run it again" of a call that did not happen, and not only "it did not". */
  readonly again?: boolean | undefined;
}

/** Somebody who uses the app over the roads that a window and a terminal have, and writes down what they saw. */
export function aPerson({ app, workspace, defect, again = false }: PersonOptions) {
  const page = app.desk.connect({ kind: "window" }, ({ seq }) => void page.call("stream.ack", { seq }));
  const tell = (fact: Fact) => note(workspace, fact);
  app.bus.listen((event) => {
    if (event.type === "turn.ended") {
      tell({ type: "ended", stopReason: event.stopReason, code: event.error?.code ?? "" });
    }
  });

  /** True when it was acknowledged. A message that was refused may be sent again under the same id. */
  function send(id: string, text: string): boolean {
    tell({ type: "sent", id, text });
    if (defect === "early word") tell({ type: "acknowledged", id, text });
    try {
      if (app.store.recoveries(chat).length > 0) tell({ type: "dismissed", sessionId: chat }); // a newer message lets them be
      app.bus.ask({ id, channel: "test", sessionId: chat, text });
      if (defect === "sent twice") app.bus.ask({ id: `${id} twice`, channel: "test", sessionId: chat, text });
    } catch (thrown) {
      tell({ type: "refused", what: "send", code: codeOf(thrown) });
      return false;
    }
    tell({ type: "acknowledged", id, text });
    return true;
  }

  const sendTask = (task: string): boolean => send(`task-${task}`, taskText(task));

  /** Says something while the first tool runs, and again when the answer begins. */
  function interject(task: string): void {
    const left = new Map<string, (event: TurnEvent) => boolean>([
      ["1", (event) => event.type === "tool" && event.phase === "start"],
      ["2", (event) => event.type === "delta"],
    ]);
    app.bus.listen((event) => {
      for (const [number, isDue] of left) {
        if (!isDue(event)) continue;
        left.delete(number);
        send(`also-${number}-${task}`, followUpText(task, Number(number)));
      }
    });
  }

  function stop(): void {
    tell({ type: "stopped", sessionId: chat });
    try {
      app.bus.stop(chat);
    } catch (thrown) {
      tell({ type: "refused", what: "stop", code: codeOf(thrown) });
    }
    if (defect === "lost draft") for (const { id } of app.store.waiting(chat)) app.store.dropInbound(id);
  }

  async function call(name: string, input: unknown): Promise<boolean> {
    const reply = await page.call(name, input);
    if (!reply.ok) tell({ type: "refused", what: name, code: reply.error.code });
    return reply.ok;
  }

  /** Like somebody who looks at the world: the evidence says whether it happened. */
  function decisionOn(key: string): Decision {
    const happened = factsIn(workspace).some((fact) => fact.type === "effect" && fact.key === key);
    if (defect === "runs again") return "again";
    if (happened) return "happened";
    if (again) tell({ type: "again", key });
    return again ? "again" : "not-happened";
  }

  async function goOn(turn: TurnRecord): Promise<void> {
    if (turn.recovery === "undelivered") return void (await call("turns.dismiss", { turnId: turn.id }));
    if (turn.recovery === "interrupted") return void (await call("turns.continue", { turnId: turn.id }));
    for (const { id } of app.store.calls(turn.id).filter(({ state }) => state === "unknown")) {
      await call("calls.decide", { turnId: turn.id, callId: id, decision: decisionOn(keyOf(app, turn.id, id)) });
    }
  }

  async function letBe(turn: TurnRecord): Promise<void> {
    tell({ type: "dismissed", sessionId: chat });
    await call("turns.dismiss", { turnId: turn.id });
  }

  /** Decides what the last crash left, sends the drafts, and waits until nothing runs. */
  async function recover(habit: Habit): Promise<void> {
    if (habit === "look") return;
    for (const turn of app.store.recoveries(chat)) await (habit === "continue" ? goOn(turn) : letBe(turn));
    app.resume(chat);
    await app.idle();
    for (const { id, text, state } of app.store.waiting(chat)) {
      if (state !== "draft") continue;
      tell({ type: "drafted", text });
      await call("waiting.send", { inboundId: id });
    }
    await app.idle();
  }

  return { send, sendTask, interject, stop, recover };
}

/** The code of an error that Lares has words for; any other is told with its own words, to be looked into. */
export const codeOf = (thrown: unknown): string => (thrown instanceof AppError ? thrown.code : `untyped: ${thrown}`);

/** The key that the model gave a call. */
export function keyOf(app: Pick<App, "store">, turnId: string, callId: string): string {
  const parts = app.store.turnMessages(turnId).flatMap(({ parts }) => callsOf(parts));
  return String(Object(parts.find(({ id }) => id === callId)?.input).key);
}
