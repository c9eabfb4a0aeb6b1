import type { open } from "../db/open.ts";

export type Open = typeof open;
