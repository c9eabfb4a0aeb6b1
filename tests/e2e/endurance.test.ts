import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { calls, type ScriptStep } from "../support/scripted-provider.ts";

const SEED = 20_260;
const ANSWERS = 10;
/** In each answer: so many stretches of so many deltas, and somewhere in each of them one moment. */
const MOMENTS = 5;
const STRETCH = 80;

/** Repeatable chance, from 0 to below `bound` (mulberry32). */
let state = SEED;
function chance(bound: number): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
}

const kinds = ["reload", "kill", "drop by server", "drop by page", "cut off", "slow page", "other chat"] as const;
type Kind = (typeof kinds)[number];

/** One thing that goes wrong: the model tells when it is time, and stops at the end of the stretch until it is over. */
interface Moment {
  readonly kind: Kind;
  readonly at: number;
  readonly due: PromiseWithResolvers<void>;
  readonly over: PromiseWithResolvers<undefined>;
}

const plan: readonly (readonly Moment[])[] = Array.from({ length: ANSWERS }, (_, answer) =>
  Array.from({ length: MOMENTS }, (_, moment) => ({
    kind: kinds[(answer * MOMENTS + moment) % kinds.length] ?? "reload",
    at: chance(STRETCH),
    due: Promise.withResolvers<void>(),
    over: Promise.withResolvers<undefined>(),
  })),
);

/** Every word of an answer is there once, so that a doubled and a lost one are seen. */
const wordAt = (answer: number, index: number): string => `a${answer}w${index}${index % 37 === 36 ? "\n\n" : " "}`;

/** The deltas of one stretch, with the moment in it. */
function stretch(answer: number, { at, due, over }: Moment, place: number): ScriptStep[] {
  const deltas = Array.from({ length: STRETCH }, (_, index): ScriptStep[] => [
    ...(index % 2 === 0 ? [{ wait: 2 }] : []),
    { type: "text", text: wordAt(answer, place * STRETCH + index) },
  ]);
  const tell: ScriptStep = () => {
    due.resolve();
    return undefined;
  };
  return [...deltas.slice(0, at).flat(), tell, ...deltas.slice(at).flat(), () => over.promise];
}

/** One answer of the model: every second one thinks first, every third one uses a tool in its middle. */
function replies(answer: number): ScriptStep[][] {
  const pieces = (plan[answer] ?? []).map((moment, place) => stretch(answer, moment, place));
  const thought: ScriptStep[] = answer % 2 === 0 ? [] : [{ type: "reasoning", text: "Let me think about that." }];
  const end: ScriptStep = { type: "finish", reason: "stop" };
  if (answer % 3 !== 0) return [[...thought, ...pieces.flat(), end]];
  const tool = calls({ name: "current_time", input: {} });
  return [
    [...thought, ...pieces.slice(0, 2).flat(), ...tool],
    [...pieces.slice(2).flat(), end],
  ];
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
const scriptOf = (answer: number) =>
  wordsOf(Array.from({ length: MOMENTS * STRETCH }, (_, index) => wordAt(answer, index)).join(""));

let opened: OpenPage;
let page: Page;
const sockets = new Set<Socket>();
let isCut = false;

/** Every connection that a server of this process accepts. */
const onConnection = (message: unknown): void => {
  const { socket } = message as { socket: Socket };
  if (isCut && socket.localPort === opened.channel.port) socket.destroy();
  sockets.add(socket);
  socket.once("close", () => sockets.delete(socket));
};

beforeAll(async () => {
  subscribe("net.server.socket", onConnection);
  const greeting: ScriptStep[] = [
    { type: "text", text: "Hello." },
    { type: "finish", reason: "stop" },
  ];
  const script = Array.from({ length: ANSWERS }, (_, answer) => replies(answer)).flat();
  opened = await openPage({
    hasModel: true,
    script: [greeting, greeting, ...script],
    before: async (app) => {
      for (const title of ["Other", "Long"]) {
        app.bus.ask({ id: `first-${title}`, channel: "window", sessionId: title, text: title });
        await app.idle();
      }
    },
  });
  await adopt(opened.page);
}, 60_000);
afterAll(async () => {
  unsubscribe("net.server.socket", onConnection);
  await opened?.close();
});

async function adopt(next: Page): Promise<void> {
  page = next;
  page.setDefaultTimeout(15_000);
  await chat("Long").waitFor();
}

const chat = (title: string) =>
  page.getByRole("navigation", { name: "Chats" }).getByRole("button", { name: new RegExp(`^${title}`) });

/** The words of the last answer, as they stand on the screen; none while another chat or nothing is there. */
const shown = async (): Promise<string[]> => {
  const paragraphs = await page.locator("article").last().locator("[aria-busy] > div > p").allInnerTexts();
  return wordsOf(paragraphs.join(" "));
};

/** Nothing but "all of it", or what is the first difference. */
const summary = (said: readonly string[]) => async () => {
  const words = await shown();
  const wrong = words.findIndex((word, index) => word !== said[index]);
  if (wrong !== -1) return `${words[wrong]} in place of ${said[wrong]}`;
  return words.length === said.length ? "all of it" : `the first ${words.length} words`;
};

function dropAll(): void {
  for (const socket of sockets) if (socket.localPort === opened.channel.port) socket.destroy();
}

/** What is given back is done once the screen was looked at. */
const acts: Readonly<Record<Kind, () => Promise<(() => Promise<void>) | undefined>>> = {
  reload: async () => void (await page.reload()),
  /** The renderer is gone with all it knew; the person opens the page again. */
  kill: async () => {
    const context = page.context();
    const crashed = page.waitForEvent("crash");
    const session = await context.newCDPSession(page);
    void session.send("Page.crash").catch(() => undefined); // nobody is left to answer
    await crashed;
    await adopt(await opened.another());
    await context.close();
    return undefined;
  },
  "drop by server": async () => {
    dropAll();
    return undefined;
  },
  "drop by page": async () => {
    const session = await page.context().newCDPSession(page);
    const { result } = await session.send("Runtime.evaluate", { expression: "WebSocket.prototype" });
    const { objects } = await session.send("Runtime.queryObjects", { prototypeObjectId: result.objectId ?? "" });
    const close = "function () { for (const socket of this) socket.close(); }";
    await session.send("Runtime.callFunctionOn", { functionDeclaration: close, objectId: objects.objectId ?? "" });
    await session.detach();
    return undefined;
  },
  /** Not just dropped: the page tries again and fails, until the person has read that it does. */
  "cut off": async () => {
    isCut = true;
    dropAll();
    await page.getByText("The connection to Lares is lost.").waitFor();
    isCut = false;
    return undefined;
  },
  "slow page": async () => {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: 12 });
    return () => session.detach(); // and it is as quick as before
  },
  "other chat": async () => {
    await chat("Other").click();
    await page.getByRole("heading", { level: 1, name: "Other" }).waitFor();
    await chat("Long").click();
    return undefined;
  },
};

/** Lets one thing go wrong while the model speaks, and waits until the screen has all that was said until its end. */
async function goThrough(answer: number, place: number): Promise<boolean> {
  const moment = plan[answer]?.[place];
  if (!moment) return false;
  await moment.due.promise;
  const putRight = await acts[moment.kind]();
  const said = scriptOf(answer).slice(0, (place + 1) * STRETCH);
  await expect
    .poll(summary(said), {
      timeout: 15_000,
      interval: 20,
      message: `answer ${answer}, moment ${place}: ${moment.kind}`,
    })
    .toBe("all of it");
  await putRight?.();
  moment.over.resolve(undefined);
  return true;
}

async function ask(answer: number): Promise<void> {
  await page.locator("#composer").fill(`Question ${answer}`);
  await page.locator("#composer").press("Enter");
}

test(`after each of 50 moments (seed ${SEED}) the screen has every word once, and at the end what the disk has`, async () => {
  let held = 0;
  for (let answer = 0; answer < ANSWERS; answer += 1) {
    await ask(answer);
    for (let place = 0; place < MOMENTS; place += 1) held += Number(await goThrough(answer, place));
    await page.locator("article").last().getByRole("button", { name: "Try again" }).waitFor();
    const [view] = opened.app.store.turnViews("Long", { limit: 1 });
    const stored = view?.rows.flatMap(({ role, parts }) =>
      role === "assistant" ? parts.flatMap((part) => (part.type === "text" ? wordsOf(part.text) : [])) : [],
    );
    expect(stored).toEqual(scriptOf(answer));
    expect(await shown()).toEqual(stored);
  }
  expect(held).toBe(ANSWERS * MOMENTS);
  // The browser itself says that it was cut off; nothing else may be said.
  expect(
    opened.problems.filter((line) => !/WebSocket connection to .* failed|ERR_INTERNET_DISCONNECTED/.test(line)),
  ).toEqual([]);
}, 120_000);
