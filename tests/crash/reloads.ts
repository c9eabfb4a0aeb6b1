import type { Page } from "playwright-core";
import type { App } from "../../src/main/app.ts";
import type { Desk } from "../../src/shared/bridge.ts";
import { textOf } from "../../src/shared/message.ts";
import { type OpenPage, openPage } from "../support/open-page.ts";
import { calls, type ScriptStep } from "../support/scripted-provider.ts";
import { type Seeded, seeded } from "../support/seeded.ts";
import { both, type Case, fine, type HarnessOptions, type Row, runCases } from "./harness.ts";
import type { Verdict } from "./invariants.ts";

const TIMES = 50;
/** Words before the tools and after them; each is there once, so that a doubled and a lost one are seen. */
const WORDS = 60;
/** From the moment on a word takes so long, ms, and at least so many come while the page is away and comes back. */
const SLOW = 20;
const WHILE_AWAY = 25;
/** How long the page may take to show what there is, ms. */
const PATIENCE = 10_000;

interface ReloadOptions extends Omit<HarnessOptions, "defect"> {
  /** A defect on purpose: each page misses every third piece of text that it is told. */
  readonly planted?: boolean;
}

/** One answer with tools in its middle, and the moment at which the page is loaded anew. */
interface Plan {
  readonly name: string;
  /** The word with which the reload begins, and the later one at which the model waits until the page was looked at. */
  readonly at: number;
  readonly hold: number;
  readonly twice: boolean;
}

/**
 * The page is loaded anew at random moments (50) while an answer with tools is streamed. As soon as it is there again it
 * shows what was said so far, to the word; at the end it shows what is stored; what had been typed is in the box.
 */
export async function runReloads({ planted = false, ...options }: ReloadOptions): Promise<Row> {
  const chance = seeded(options.seed);
  const opened = await openPage({
    hasModel: true,
    workspace: import.meta.dirname,
    before: async (app) => {
      if (planted) missPieces(app);
    },
  });
  opened.page.setDefaultTimeout(PATIENCE);
  const took: number[] = [];
  const all = Array.from({ length: TIMES }, (_, at): Case => {
    const plan = aPlan(`${at}`, chance);
    return () => reloadOnce(opened, plan, took);
  });
  const figures = () => [
    `${took.length} reloads, whole again after at most ${Math.round(Math.max(0, ...took))} ms`,
    ...opened.problems.map((problem) => `the console said: ${problem}`),
  ];
  try {
    return await runCases("reloads", all, options, figures, 1);
  } finally {
    await opened.close();
  }
}

function aPlan(name: string, { between, chance }: Seeded): Plan {
  const at = between(0, 2 * WORDS - 1);
  const last = at < WORDS ? WORDS - 1 : 2 * WORDS - 1;
  const hold = between(Math.min(at + WHILE_AWAY, last), last);
  return { name, at, hold, twice: chance(0.25) };
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== "");
const scriptOf = ({ name }: Plan): string[] => Array.from({ length: 2 * WORDS }, (_, index) => `c${name}w${index}`);

/** What the model does; `due` resolves at the moment, and at `hold` it waits for `seen`. */
function replies(plan: Plan) {
  const due = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<undefined>();
  const words = scriptOf(plan).map((word, index): ScriptStep[] => [
    { type: "text", text: `${word} ` },
    { wait: index > plan.at && index <= plan.hold ? SLOW : 2 },
    ...(index === plan.at ? [tells(due)] : []),
    ...(index === plan.hold ? [tells(held), () => seen.promise] : []),
  ]);
  const asking = calls({ name: "list_files", input: {} }, { name: "current_time", input: {} });
  return {
    due: due.promise,
    held: held.promise,
    goOn: () => seen.resolve(undefined),
    script: [
      [...words.slice(0, WORDS).flat(), ...asking],
      [...words.slice(WORDS).flat(), { type: "finish", reason: "stop" }],
    ] satisfies ScriptStep[][],
  };
}

const tells =
  ({ resolve }: PromiseWithResolvers<void>): ScriptStep =>
  () => {
    resolve();
    return undefined;
  };

async function reloadOnce({ app, page, model }: OpenPage, plan: Plan, took: number[]): Promise<Verdict> {
  const { due, held, goOn, script } = replies(plan);
  for (const steps of script) model.reply(...steps);
  const draft = `a thought while ${plan.name} is answered`;
  const box = page.locator("#composer");
  try {
    await page.keyboard.press("Control+Shift+O");
    await page.locator("article").last().waitFor({ state: "detached" });
    await box.fill(`Question ${plan.name}`);
    await box.press("Enter");
    await due;
    await box.fill(draft);
    const start = performance.now();
    for (let times = plan.twice ? 2 : 1; times > 0; times--) await page.reload();
    await held;
    const soFar = scriptOf(plan).slice(0, plan.hold + 1);
    const between = await difference(page, soFar, "in the middle");
    took.push(performance.now() - start);
    const typed = await box.inputValue();
    goOn();
    await app.idle();
    const atEnd = await difference(page, scriptOf(plan), "at the end");
    const rest = [...(typed === draft ? [] : [`the draft (there is "${typed}")`]), ...(await unlike(app, page, plan))];
    return both(both(between, atEnd), { ...fine, lost: rest });
  } finally {
    goOn();
    await app.idle();
  }
}

/** The words of the last answer, as they stand on the screen. */
const shownIn = async (page: Page): Promise<string[]> =>
  wordsOf((await page.locator("article").last().locator("[aria-busy] > div > p").allInnerTexts()).join(" "));

/** Waits until the page shows these words and no others; if it never does, says what is wrong. */
async function difference(page: Page, said: readonly string[], when: string): Promise<Verdict> {
  const end = performance.now() + PATIENCE;
  let shown: string[] = [];
  while (performance.now() < end) {
    shown = await shownIn(page);
    if (shown.join(" ") === said.join(" ")) return fine;
    await page.waitForTimeout(20);
  }
  const missing = said.filter((word) => !shown.includes(word));
  const more = shown.filter((word, index) => shown.indexOf(word) !== index || !said.includes(word));
  return {
    ...fine,
    lost: missing.map((word) => `${word} on the screen, ${when}`),
    doubled: more.map((word) => `${word} on the screen, ${when}`),
    corrupt: missing.length + more.length === 0 ? [`the order of the words, ${when}`] : [],
  };
}

/** What the store has of the turn, and how many cards the page has for its calls. */
async function unlike({ store }: App, page: Page, plan: Plan): Promise<string[]> {
  const turnId = (await page.locator("article").last().getAttribute("data-turn")) ?? "";
  const rows = store.turnMessages(turnId).filter(({ role }) => role === "assistant");
  const stored = wordsOf(rows.map(({ parts }) => textOf(parts)).join(" "));
  const cards = await page.locator("article").last().locator("details").count();
  return [
    ...(stored.join(" ") === scriptOf(plan).join(" ") ? [] : ["the stored answer is not what the model said"]),
    ...(cards === store.calls(turnId).length && cards === 2 ? [] : [`${cards} cards for 2 calls`]),
  ];
}

/** Puts a desk in front of the app's own that leaves something out, for the pages that are opened from now on. */
function missPieces(app: { readonly desk: Desk }): void {
  const { desk } = app;
  const connect: Desk["connect"] = (shell, post) => {
    let pieces = 0;
    const isMissed = (type: string) => type === "delta" && ++pieces % 3 === 0;
    return desk.connect(shell, ({ seq, events }) => {
      post({ seq, events: events.filter(({ event }) => !isMissed(event.type)) });
    });
  };
  Object.assign(app, { desk: { connect } });
}
