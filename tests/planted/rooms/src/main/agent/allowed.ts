import { readFileSync } from "node:fs";
import { z } from "zod";
import { tidy } from "../lib/tidy.ts";
import type { Store } from "./store.ts";

export const answer = (store: Store): string => tidy(z.string().parse(store.fetch(readFileSync("id", "utf8"))));
