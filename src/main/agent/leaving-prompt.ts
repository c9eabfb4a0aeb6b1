import { setImmediate as nextTick } from "node:timers/promises";
import type { Message } from "../../shared/message.ts";
import type { Run } from "./run-state.ts";
import { isFromBeyond, type LeavingRules, readsMarked, withhold } from "./withheld.ts";

const PAGE = 128;

/** What the model of a run may be given of `all` rows: one that is not on this computer does not get what is marked. */
export async function rowsToSend(run: Run, all: readonly Message[]): Promise<readonly Message[]> {
  const { runtime, deps, notes } = run;
  const { to } = runtime.info;
  if (!to || to.place === "this-computer") return all;
  const rules: LeavingRules = {
    marks: deps.store.marks(),
    workspace: runtime.workspace,
    wentOut: (turnId) => isFromBeyond(deps.store.requests(turnId)),
  };
  const readBefore = await wasReadBefore(run, all[0]?.id, rules);
  const withheld = withhold(all, { ...rules, readBefore });
  if (withheld.gaps > 0) notes.push(`${withheld.gaps} texts stayed on this computer`);
  return withheld.rows;
}

/** Whether a marked file was read in the chat before the rows that fit into the prompt. */
async function wasReadBefore({ turn, deps }: Run, first: number | undefined, rules: LeavingRules): Promise<boolean> {
  if (first === undefined || rules.marks.every(({ kind }) => kind !== "file")) return false;
  for (let before = first; ; ) {
    const page = deps.store.page(turn.sessionId, { before, limit: PAGE });
    if (readsMarked(page, rules)) return true;
    const [oldest] = page;
    if (!oldest || page.length < PAGE) return false;
    before = oldest.id;
    await nextTick(); // a long chat must not hold everything else up
  }
}
