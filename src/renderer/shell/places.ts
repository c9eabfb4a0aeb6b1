import { SEARCH_FIELD } from "../chats/search-focus.ts";
import { NARROW } from "../lib/media.ts";
import type { Layout } from "../stores/layout.ts";

/** Puts the focus into the message box, or at least into the conversation. */
export function focusComposer(): void {
  const target = document.getElementById("composer") ?? document.getElementById("conversation");
  target?.focus();
}

/** Shows the chats, if they are hidden: as a drawer where there is no room for them beside the conversation. */
export function showSide(layout: Layout): void {
  if (matchMedia(NARROW).matches) layout.toggleSide(true);
  else layout.foldSide(false);
}

/** Shows or hides the chats. */
export function toggleSide(layout: Layout): void {
  if (matchMedia(NARROW).matches) layout.toggleSide();
  else layout.foldSide(!layout.store.getState().isSideFolded);
}

/** Shows the chats and puts the focus into their search; with a query, what it finds is there too. */
export function focusSearch(layout: Layout, query?: string): void {
  if (query !== undefined) layout.search(query);
  showSide(layout);
  if (!focusField()) requestAnimationFrame(focusField); // once it is there
}

function focusField(): boolean {
  const field = document.getElementById(SEARCH_FIELD);
  field?.focus();
  return field !== null;
}
