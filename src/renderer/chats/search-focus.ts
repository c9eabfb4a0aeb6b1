/** The ids by which the keyboard finds its way between the search and what it found. */
export const SEARCH_FIELD = "chat-search";
export const SEARCH_RESULTS = "chat-search-results";

const results = () => [...document.querySelectorAll<HTMLElement>(`#${SEARCH_RESULTS} button`)];

/** Focuses the result at this place; before the first one stands the field. False: there is none. */
export function focusResult(index: number): boolean {
  const target = index < 0 ? document.getElementById(SEARCH_FIELD) : results()[index];
  target?.focus();
  return target !== undefined && target !== null;
}

/** Which result has the focus; -1: none. */
export function focusedResult(): number {
  return results().indexOf(document.activeElement as HTMLElement);
}
