/** How long the keeper waits for its child, and how it treats one that dies. All times in milliseconds. */
export interface EngineLimits {
  /** From the fork to the child's hello. */
  readonly helloMs: number;
  /** Between two looks at the child. */
  readonly pingMs: number;
  /** A child that says nothing at all for so long is killed. */
  readonly silenceMs: number;
  /** A request without an event for so long is given up; while a model loads, the silence allowed. */
  readonly stallMs: number;
  /** From a polite stop to a hard kill. */
  readonly stopMs: number;
  /** Wait before the start after the first, second, … crash in a row. The last one holds for all further ones. */
  readonly restartMs: readonly number[];
  /** So many crashes within `pauseMs`, of whatever kind, and no start is tried before the first of them is that old. */
  readonly pauseAfter: number;
  readonly pauseMs: number;
  /** A file that crashed the child so often, with no good answer between, is held back. */
  readonly holdAfter: number;
}

export const engineLimits: EngineLimits = {
  helloMs: 20_000,
  pingMs: 5_000,
  silenceMs: 15_000,
  stallMs: 60_000,
  stopMs: 3_000,
  restartMs: [0, 1_000, 5_000, 30_000],
  pauseAfter: 3,
  pauseMs: 5 * 60_000,
  holdAfter: 2,
};
