import { useEffect, useState } from "react";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { ChatHit } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";

const PAUSE_MS = 150;
/** So many places are shown at most. */
export const MAX_HITS = 50;

export interface Found {
  /** What `hits` are for; it lags behind what is typed. */
  readonly query: string;
  readonly hits: readonly ChatHit[];
  readonly problem: AppError | null;
}

/** Searches a moment after the last key. Null: nothing was looked for yet. */
export function useSearch(query: string): Found | null {
  const { host } = useAssistant();
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    let isOver = false;
    const search = async () => {
      const next = await host.call("chats.search", { query, limit: MAX_HITS }).then(
        ({ hits }) => ({ query, hits, problem: null }),
        (thrown: unknown) => ({ query, hits: [], problem: toAppError(thrown) }),
      );
      if (!isOver) setFound(next);
    };
    const timer = setTimeout(search, PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [host, query]);
  return found;
}
