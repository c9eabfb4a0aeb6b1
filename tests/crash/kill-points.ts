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
  "streaming",
  "save",
  "respond",
  "done",
] as const;
export type KillPoint = (typeof killPoints)[number];
