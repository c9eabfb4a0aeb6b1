/**
 * Turns work that calls back into an async iterable. Its failure comes out of the loop after all that was emitted.
 * Leaving the loop early aborts the work and waits for its end.
 */
export async function* pump<T>(
  work: (emit: (item: T) => void, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const left = new AbortController();
  const items: T[] = [];
  let news = Promise.withResolvers<void>();
  const emit = (item: T) => {
    items.push(item);
    news.resolve();
  };
  let isOver = false;
  const over = work(emit, AbortSignal.any([signal, left.signal])).finally(() => {
    isOver = true;
    news.resolve();
  });
  over.catch(() => undefined); // thrown by the last line, once everything before it was taken
  try {
    while (!isOver || items.length > 0) {
      await news.promise;
      news = Promise.withResolvers<void>();
      yield* items.splice(0);
    }
  } finally {
    left.abort();
    if (!isOver) await over.catch(() => undefined); // nobody listens any more
  }
  await over;
}
