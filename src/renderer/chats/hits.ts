/** A piece of a text, and whether it is what was looked for. */
export interface Piece {
  readonly text: string;
  readonly isHit: boolean;
}

/** Cuts a text where the words of a query stand in it, whole or in part; case and accents make no difference. */
export function piecesOf(text: string, query: string): Piece[] {
  const terms = query.split(/\s+/u).map(folded).filter(Boolean);
  const characters = [...text];
  const { plain, origin } = unfold(characters);
  const isHit = new Array<boolean>(characters.length).fill(false);
  for (const term of terms) {
    for (let at = plain.indexOf(term); at >= 0; at = plain.indexOf(term, at + term.length)) {
      isHit.fill(true, origin[at], (origin[at + term.length - 1] ?? 0) + 1);
    }
  }
  const pieces: { text: string; isHit: boolean }[] = [];
  for (const [index, character] of characters.entries()) {
    const last = pieces.at(-1);
    if (last && last.isHit === isHit[index]) last.text += character;
    else pieces.push({ text: character, isHit: isHit[index] ?? false });
  }
  return pieces;
}

/** As it is compared. */
const folded = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** The text as it is compared, and for each of its places the character it came from. */
function unfold(characters: readonly string[]): { plain: string; origin: number[] } {
  const origin: number[] = [];
  let plain = "";
  for (const [index, character] of characters.entries()) {
    const part = folded(character);
    plain += part;
    for (let place = 0; place < part.length; place += 1) origin.push(index);
  }
  return { plain, origin };
}

/** Whether every word of the query stands in the text. */
export function holdsAll(text: string, query: string): boolean {
  const plain = folded(text);
  return query.split(/\s+/u).every((term) => plain.includes(folded(term)));
}
