import { common, createLowlight } from "lowlight";

const lowlight = createLowlight(common);

/** A piece of highlighted code: text, or pieces with classes. */
export type Piece = ReturnType<typeof lowlight.highlight>["children"][number];

/** The code as a tree; null: nobody knows this language. */
export function highlight(language: string, text: string): readonly Piece[] | null {
  return lowlight.registered(language) ? lowlight.highlight(language, text).children : null;
}
