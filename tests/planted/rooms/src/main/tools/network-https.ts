import { get } from "node:https";

export const load = get;
