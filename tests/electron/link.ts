/** One end of a channel between two processes. */
interface End {
  send(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

type Message =
  | { readonly kind: "ask"; readonly id: number; readonly name: string; readonly values: unknown[] }
  | { readonly kind: "answer"; readonly id: number; readonly value?: unknown; readonly error?: string };

export type Handlers = Readonly<Record<string, (...values: never[]) => unknown>>;

/** Functions of the other process, called by name. What they throw is thrown here, as its message. */
export interface Link {
  ask<T = unknown>(name: string, ...values: unknown[]): Promise<T>;
}

export function createLink(end: End, handlers: Handlers): Link {
  const waiting = new Map<number, { resolve(value: never): void; reject(error: Error): void }>();
  let last = 0;

  async function answer({ id, name, values }: Message & { kind: "ask" }): Promise<void> {
    try {
      const value = await handlers[name]?.(...(values as never[]));
      end.send({ kind: "answer", id, value });
    } catch (thrown) {
      end.send({ kind: "answer", id, error: String(thrown) });
    }
  }

  end.onMessage((raw) => {
    const message = raw as Message;
    if (message.kind === "ask") return void answer(message);
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if (message.error === undefined) resolve?.(message.value as never);
    else reject?.(new Error(message.error));
  });

  return {
    ask: (name, ...values) =>
      new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        end.send({ kind: "ask", id: last, name, values });
      }),
  };
}
