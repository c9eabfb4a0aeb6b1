/** Where the doomed app dies. Each is a state of the turn, or a place inside `run`. */
export const killPoints = [
  "restore",
  "compact",
  "command",
  "build",
  "run",
  "one waits",
  "tool running",
  "tool finished",
  "once running",
  "streaming",
  "save",
  "respond",
  "done",
] as const;
export type KillPoint = (typeof killPoints)[number];

/** Where it dies when it starts again after one of those. */
export type LaterKillPoint = "reconciling" | "going on";
