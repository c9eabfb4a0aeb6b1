import { useEffect, useState } from "react";

const TICK_MS = 250;

/** The time, four times a second while something runs; it stands still otherwise. Epoch milliseconds. */
export function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
