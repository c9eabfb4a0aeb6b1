import { expect, test } from "vitest";
import type { Log } from "../lib/log.ts";
import { createBus, type QueueNews } from "./bus.ts";

function aBus() {
  const errors: string[] = [];
  const log: Log = { info: () => undefined, warn: () => undefined, error: (event) => void errors.push(event) };
  const bus = createBus(log);
  bus.serve({
    accept: ({ id }) => ({ inboundId: id, repaired: false }),
    stop: () => ({ stopped: 1, drafts: 2 }),
  });
  return { bus, errors };
}

const message = { id: "m1", channel: "test", sessionId: "s", text: "hi" };

test("who listens to the queues hears of each accepted message and of each stop, whichever channel it came from", () => {
  const { bus } = aBus();
  const heard: QueueNews[] = [];
  const unlisten = bus.onQueue((news) => heard.push(news));
  bus.ask(message);
  bus.stop("s");
  unlisten();
  bus.ask(message);
  expect(heard).toEqual([{ sessionId: "s", inboundId: "m1" }, { sessionId: "s" }]);
});

test("one listener that fails silences neither the others nor the one who asked", () => {
  const { bus, errors } = aBus();
  const heard: unknown[] = [];
  const fail = () => {
    throw new Error("bad listener");
  };
  bus.onQueue(fail);
  bus.onQueue((news) => heard.push(news));
  bus.listen(fail);
  bus.listen((event) => heard.push(event));
  expect(bus.ask(message)).toEqual({ inboundId: "m1", repaired: false });
  bus.tell({ type: "turn.started", sessionId: "s", turnId: "t", inboundId: "m1" });
  expect(heard).toHaveLength(2);
  expect(errors).toEqual(["listener failed", "listener failed"]);
});

test("a message that is not accepted is no news", () => {
  const { bus } = aBus();
  const heard: QueueNews[] = [];
  bus.serve({
    accept: () => {
      throw new Error("disk full");
    },
    stop: () => ({ stopped: 0, drafts: 0 }),
  });
  bus.onQueue((news) => heard.push(news));
  expect(() => bus.ask(message)).toThrow("disk full");
  expect(heard).toEqual([]);
});
