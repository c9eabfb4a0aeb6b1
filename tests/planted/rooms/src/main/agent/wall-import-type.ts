export type Open = typeof import("../db/open.ts").open;
