import type { AppError } from "../../shared/errors.ts";
import { toAppError } from "../../shared/errors.ts";
import type { Log } from "../lib/log.ts";

/** What a hook is told: which turn it is, and how far it is. Nothing in it can be changed. */
export interface HookMoment {
  readonly sessionId: string;
  readonly turnId: string;
  readonly iteration: number;
}

/** Something that watches the runs of the agent. It may be slow; it is waited for, and it cannot fail a turn. */
export interface Hooks {
  /** For the log. */
  readonly name: string;
  beforeRun?(moment: HookMoment): void | Promise<void>;
  afterRun?(moment: HookMoment): void | Promise<void>;
  beforeIteration?(moment: HookMoment): void | Promise<void>;
  afterIteration?(moment: HookMoment): void | Promise<void>;
  beforeTool?(moment: HookMoment, call: { readonly id: string; readonly name: string }): void | Promise<void>;
  afterTool?(moment: HookMoment, call: { readonly id: string; readonly name: string }): void | Promise<void>;
  onError?(moment: HookMoment, error: AppError): void | Promise<void>;
  /** The last one of a run, however it ended. */
  finalize?(moment: HookMoment): void | Promise<void>;
}

interface HookDeps {
  readonly hooks?: readonly Hooks[];
  readonly log: Log;
}

/** Calls one kind of hook, in the order they were given. One that fails is logged, and the next is called all the same. */
export async function callHooks(
  { hooks = [], log }: HookDeps,
  kind: Exclude<keyof Hooks, "name">,
  call: (hooks: Hooks) => void | Promise<void>,
): Promise<void> {
  for (const each of hooks) {
    try {
      await call(each);
    } catch (thrown) {
      log.warn("hook failed", { hook: each.name, kind, code: toAppError(thrown).code });
    }
  }
}
