import type { ZodError } from "zod";
import type { Reply } from "../../shared/bridge.ts";
import { AppError, toAppError, toWire } from "../../shared/errors.ts";
import { type CallName, type CallOutput, type CallParsed, contract } from "../../shared/ipc.ts";
import type { Log } from "../lib/log.ts";
import { redact } from "../lib/redact.ts";
import { checkPayload } from "./payload.ts";

/** One function a call. It gets the parsed input and whoever called; what it throws becomes the reply. */
export type Handlers<C> = {
  readonly [N in CallName]: (input: CallParsed<N>, client: C) => CallOutput<N> | Promise<CallOutput<N>>;
};

/** Who calls, as far as the server needs to know. */
export interface Caller {
  /** Whether one more call may be answered now. */
  mayCall(): boolean;
}

/**
 * Turns handlers into the one function that a window or a socket calls. Never throws and never rejects: everything
 * that comes may be hostile. Only what is a bug of ours is logged, without a word of what was sent. `clean` takes keys out
 * of the words of an error, which may be those of a vendor.
 */
export function createCallServer<C extends Caller>(
  handlers: Handlers<C>,
  log: Log,
  clean: (text: string) => string = redact,
) {
  return async function answer(name: unknown, input: unknown, client: C): Promise<Reply> {
    try {
      if (!isCallName(name)) throw new AppError("bad-request", "There is no such call.");
      // An acknowledgement that is refused would stop the stream for good, and costs nothing.
      if (name !== "stream.ack" && !client.mayCall())
        throw new AppError("bad-request", "Too many calls. Wait a second.");
      const parsed = contract[name].input.safeParse(checked(input));
      if (!parsed.success) throw new AppError("bad-request", `${name}: ${firstIssue(parsed.error)}`);
      const handle = handlers[name] as (input: unknown, client: C) => unknown; // parsed for this very name
      const value = contract[name].output.parse(await handle(parsed.data, client)); // strips what is not promised
      return { ok: true, value };
    } catch (thrown) {
      const error = toWire(known(thrown, name, log));
      return { ok: false, error: { ...error, message: clean(error.message) } };
    }
  };
}

function isCallName(name: unknown): name is CallName {
  return typeof name === "string" && Object.hasOwn(contract, name);
}

/** The input, if it is plain data of a bearable size. */
function checked(input: unknown): unknown {
  try {
    checkPayload(input);
  } catch (thrown) {
    throw thrown instanceof AppError ? thrown : new AppError("bad-request", "The input cannot be read.");
  }
  return input;
}

function firstIssue({ issues: [issue] }: ZodError): string {
  const where = issue?.path.map(String).join(".") ?? "";
  return `${where === "" ? "" : `${where}: `}${issue?.message ?? "not allowed"}`.slice(0, 300);
}

function known(thrown: unknown, name: unknown, log: Log): AppError {
  const error = toAppError(thrown);
  if (error.code !== "internal") return error;
  log.error("call failed", { call: isCallName(name) ? name : "unknown", at: placeOf(thrown) });
  return error;
}

/** Where it was thrown. A message may quote what a person said; the lines below it never do. */
function placeOf(thrown: unknown): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  return (stack.match(/^ {4}at .*$/gm) ?? []).slice(0, 3).join(" ").trim();
}
