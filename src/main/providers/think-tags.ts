/** A piece of an answer, told apart. */
export interface Piece {
  readonly type: "text" | "reasoning";
  readonly text: string;
}

const opening = /^\s*<(think|thinking|thought)>/i;
/** What may still become an opening tag. */
const mayOpen = /^\s*(<(t(h(i(n(k(i(n(g)?)?)?)?)?)?|h(o(u(g(h(t)?)?)?)?)?)?)?)?$/i;

/**
 * Tells reasoning apart that a server left in the text between <think> and </think>, wherever the stream is cut. Only
 * at the very beginning of an answer: later the tag is something that the answer is about.
 */
export function createThinkTags() {
  let state: "beginning" | "thinking" | "after" | "answer" = "beginning";
  let held = "";
  let closing = "";

  function pass(): Piece[] {
    if (state === "beginning") return begin();
    if (state === "thinking") return think();
    const text = state === "after" ? held.trimStart() : held;
    held = "";
    if (text !== "") state = "answer";
    return piece("text", text);
  }

  function begin(): Piece[] {
    const [tag, name] = opening.exec(held) ?? [];
    if (tag !== undefined) {
      state = "thinking";
      closing = `</${name}>`.toLowerCase();
      held = held.slice(tag.length);
      return pass();
    }
    if (mayOpen.test(held)) return [];
    state = "answer";
    return pass();
  }

  function think(): Piece[] {
    const end = held.toLowerCase().indexOf(closing);
    if (end === -1) {
      const kept = heldBack(held.toLowerCase(), closing);
      const told = held.slice(0, held.length - kept);
      held = held.slice(held.length - kept);
      return piece("reasoning", told);
    }
    const told = piece("reasoning", held.slice(0, end));
    held = held.slice(end + closing.length);
    state = "after";
    return [...told, ...pass()];
  }

  return {
    push(text: string): Piece[] {
      held += text;
      return pass();
    },
    /** What was held back, once nothing more comes. */
    end(): Piece[] {
      const rest = piece(state === "thinking" ? "reasoning" : "text", state === "after" ? held.trimStart() : held);
      held = "";
      return rest;
    },
  };
}

const piece = (type: Piece["type"], text: string): Piece[] => (text === "" ? [] : [{ type, text }]);

/** How much of the end of a text may be the beginning of the tag. */
function heldBack(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
