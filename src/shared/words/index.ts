import { app } from "./app.ts";
import { care } from "./care.ts";
import { chats } from "./chats.ts";
import { cloud } from "./cloud.ts";
import { conversation } from "./conversation.ts";
import { models } from "./models.ts";
import { network } from "./network.ts";
import { problems } from "./problems.ts";
import { settings } from "./settings.ts";
import { trace } from "./trace.ts";
import { window } from "./window.ts";
import type { Language, Words } from "./word.ts";

export { type Language, languages } from "./word.ts";

/** The one catalogue of everything Lares says to people, by area. */
export const words = {
  app,
  care,
  chats,
  cloud,
  conversation,
  models,
  network,
  problems,
  settings,
  trace,
  window,
} as const;

type Area = keyof typeof words;
type Plain<W> = { readonly [K in keyof W]: string };
export type Catalogue = { readonly [A in Area]: Plain<(typeof words)[A]> };

/** The catalogue in one language. */
export function wordsIn(language: Language): Catalogue {
  const plain = (area: Words) => Object.fromEntries(Object.entries(area).map(([key, word]) => [key, word[language]]));
  return Object.fromEntries(Object.entries(words).map(([area, table]) => [area, plain(table)])) as Catalogue;
}

/** What the settings mean by "system": Chinese for a Chinese system, else English. */
export function languageOf(setting: Language | "system", system: string): Language {
  if (setting !== "system") return setting;
  return system.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}
