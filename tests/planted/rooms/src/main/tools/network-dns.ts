import { lookup } from "dns/promises";

export const find = lookup;
