import { open } from "../db/open.ts";

export const database = open;
