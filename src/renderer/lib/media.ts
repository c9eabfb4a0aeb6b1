import { useCallback, useSyncExternalStore } from "react";

/** No room for the chats beside the conversation. */
export const NARROW = "(max-width: 899px)";
/** No room for the inspector beside both. */
export const TIGHT = "(max-width: 1099px)";

/** Whether a media query holds, also when that changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = matchMedia(query);
      list.addEventListener("change", listener);
      return () => list.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
