import { type RefObject, useCallback, useRef, useState } from "react";

/** Nearer to the end than this, pixels, a reader is at the end. */
const END = 48;

/** Keeps a reader who is at the end at the end, and leaves every other where they are. */
export function useFollow(scroller: RefObject<HTMLElement | null>) {
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(true);
  const last = useRef({ top: 0, height: 0 });

  const settle = useCallback((value: boolean) => {
    follows.current = value;
    setAtEnd(value);
  }, []);

  /** A move up, away from the end, is the reader's wish: what shrinks, or goes in front, moves nobody away from it. */
  const onScroll = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    const { scrollTop, scrollHeight, clientHeight } = box;
    const wentUp = scrollTop < last.current.top && scrollHeight >= last.current.height;
    last.current = { top: scrollTop, height: scrollHeight };
    if (scrollHeight - scrollTop - clientHeight < END) settle(true);
    else if (wentUp || !follows.current) settle(false);
  }, [scroller, settle]);

  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    settle(true);
    box.scrollTop = box.scrollHeight;
  }, [scroller, settle]);

  /** To be called whenever what is shown has another height. */
  const onGrowth = useCallback(() => {
    const box = scroller.current;
    if (box && follows.current) box.scrollTop = box.scrollHeight;
  }, [scroller]);

  /** The place is chosen by somebody else now: a search hit. */
  const leaveEnd = useCallback(() => settle(false), [settle]);

  return { isAtEnd, follows, onScroll, onGrowth, toEnd, leaveEnd };
}
