import type { trace } from "../../shared/words/trace.ts";

type Bare<K> = K extends `${infer Stem}_one` | `${infer Stem}_other` ? Stem : K;
export type TraceWord = `trace.${Bare<keyof typeof trace>}`;

/** `count` chooses the plural. What is named `ms` is a length of time. */
export interface Figures {
  readonly count?: number;
  readonly total?: number;
  readonly ms?: number;
}

/** Something a row says: a word of the catalogue with its figures, or a note that main wrote. */
export type Fact = { readonly word: TraceWord; readonly figures?: Figures } | { readonly note: string };
