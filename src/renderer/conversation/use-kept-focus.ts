import { type RefObject, useLayoutEffect } from "react";
import { focusComposer } from "../shell/places.ts";

/**
 * The focus does not get lost with the buttons of a box: while some are left (`count` has changed) it goes to the first
 * of them, and where the whole box goes, to the message box.
 */
export function useKeptFocus(box: RefObject<HTMLElement | null>, count: number): void {
  useLayoutEffect(() => {
    if (document.activeElement === document.body) box.current?.querySelector("button")?.focus({ preventScroll: true });
  }, [count]);
  useLayoutEffect(() => {
    const here = box.current;
    return () => {
      if (here?.contains(document.activeElement)) focusComposer();
    };
  }, [box]);
}
