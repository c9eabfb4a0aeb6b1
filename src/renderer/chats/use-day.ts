import { useEffect, useState } from "react";
import { untilMidnight } from "./when.ts";

/** A moment of today; another one when the day has changed, so that "Today" means today. */
export function useDay(): number {
  const [moment, setMoment] = useState(() => Date.now());
  useEffect(() => {
    const timer = setTimeout(() => setMoment(Date.now()), untilMidnight(Date.now()) + 1000);
    return () => clearTimeout(timer);
  }, [moment]);
  return moment;
}
