import "katex/dist/katex.min.css";
import { render } from "katex";

const MAX_FORMULA = 2_000;

/** Draws a formula into an element. False: it is wrong or too long, and stands there as it was written. */
export function typeset(formula: string, into: HTMLElement, isDisplay: boolean): boolean {
  if (formula.length > MAX_FORMULA) return false;
  try {
    render(formula, into, {
      displayMode: isDisplay,
      output: "html", // the MathML beside it has style attributes, which the page's policy forbids
      trust: false,
      errorColor: "var(--danger)",
      maxExpand: 1_000,
      maxSize: 20,
      strict: "ignore",
    });
    return true;
  } catch {
    into.textContent = formula;
    return false;
  }
}
