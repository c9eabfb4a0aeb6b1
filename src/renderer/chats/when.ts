/** A moment in the fewest words: the time of today, the day of this year, the date of another one. */
export function shortDate(moment: number, now: number, language: string): string {
  const [date, today] = [new Date(moment), new Date(now)];
  if (date.toDateString() === today.toDateString()) return date.toLocaleTimeString(language, { timeStyle: "short" });
  const isThisYear = date.getFullYear() === today.getFullYear();
  return date.toLocaleDateString(language, isThisYear ? { month: "short", day: "numeric" } : { dateStyle: "medium" });
}

/** Milliseconds until the day changes here. */
export function untilMidnight(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime() - now;
}
