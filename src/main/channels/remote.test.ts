import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../tests/support/stored-turn.ts";
import type { TurnEvent } from "../../shared/events.ts";
import type { StreamEvent } from "../../shared/stream.ts";
import { listenLocally } from "../net/local-socket.ts";
import { reachFirst } from "./remote.ts";

interface Call {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

/** Somebody who has the data folder, and answers as the test says. */
async function aFirst(answer: (call: Call, send: (text: string) => void) => void) {
  const folder = temporaryFolder();
  const calls: Call[] = [];
  let say: (text: string) => void = () => undefined;
  const server = await listenLocally(folder, (send) => {
    say = send;
    return {
      message(text) {
        const call = JSON.parse(text) as Call;
        calls.push(call);
        answer(call, send);
      },
      closed: () => undefined,
    };
  });
  onTestFinished(() => server.close());
  const tell = (seq: number, ...events: StreamEvent[]) =>
    say(JSON.stringify({ batch: { seq, events: events.map((event) => ({ n: seq, event })) } }));
  return { folder, calls, server, say: (text: string) => say(text), tell };
}

const agrees = ({ id }: Call, send: (text: string) => void) =>
  send(JSON.stringify({ id, reply: { ok: true, value: { shell: "terminal" } } }));

const started: TurnEvent = { type: "turn.started", sessionId: "s", turnId: "t", inboundId: "m" };

test.skipIf(process.platform === "win32")(
  "what is told is heard in order and acknowledged, and the rest is left aside",
  async () => {
    const first = await aFirst(agrees);
    const reached = await reachFirst(first.folder);
    onTestFinished(() => reached?.close());
    const heard: TurnEvent[] = [];
    reached?.road.listen((event) => heard.push(event));
    first.say("no frame");
    first.say('{"later":"than this"}');
    first.tell(1, { type: "chat.removed", chatId: "c" }, started);
    first.tell(2, { ...started, turnId: "u" });
    await expect.poll(() => heard).toEqual([started, { ...started, turnId: "u" }]);
    await expect
      .poll(() => first.calls.filter(({ name }) => name === "stream.ack").map(({ input }) => input))
      .toEqual([{ seq: 1 }, { seq: 2 }]);
  },
);

test.skipIf(process.platform === "win32")(
  "a message goes as a page's would, and its refusal is thrown with its code",
  async () => {
    const first = await aFirst((call, send) => {
      if (call.name === "app.hello") return agrees(call, send);
      send(
        JSON.stringify({
          id: call.id,
          reply: { ok: false, error: { code: "blank-message", message: "Empty.", retryable: false } },
        }),
      );
    });
    const reached = await reachFirst(first.folder);
    onTestFinished(() => reached?.close());
    const sent = reached?.road.send({ id: "m", sessionId: "s", text: " " });
    await expect(sent).rejects.toMatchObject({ code: "blank-message", message: "Empty." });
    expect(first.calls.at(-1)).toMatchObject({ name: "turns.send", input: { chatId: "s", inboundId: "m", text: " " } });
  },
);

test.skipIf(process.platform === "win32")(
  "one that goes away, or was too fast, is lost for everyone who listens",
  async () => {
    const first = await aFirst((call, send) => call.name === "app.hello" && agrees(call, send));
    const reached = await reachFirst(first.folder);
    const lost: string[] = [];
    reached?.road.listen(
      () => undefined,
      ({ message }) => lost.push(message),
    );
    const open = reached?.road.call("chats.list", {});
    first.tell(1, { type: "reset" });
    await expect.poll(() => lost).toEqual([expect.stringMatching(/could not keep up/)]);
    first.server.close();
    await expect(open).rejects.toMatchObject({ code: "interrupted" });
    await expect(reached?.road.call("chats.list", {})).rejects.toMatchObject({ code: "interrupted" });
    expect(lost[1]).toMatch(/was closed/);
  },
);

test.skipIf(process.platform === "win32")("one that does not answer is none", async () => {
  const first = await aFirst(() => undefined);
  expect(await reachFirst(first.folder)).toBeUndefined();
  await first.server.empty(); // and it is not kept waiting
});
