import type { B } from "./type-cycle-b.ts";

export type A = B | string;
