import { z } from "zod";
import { AppError } from "../../shared/errors.ts";
import { defineTool } from "./tool.ts";

/** What day and time it is, here or in another zone. */
export const currentTimeTool = defineTool({
  name: "current_time",
  description: "The date, day of the week and time right now, in the person's time zone or in another one.",
  class: "read",
  timeoutMs: 1000,
  input: z.strictObject({
    timeZone: z
      .string()
      .optional()
      .describe('An IANA name such as "Asia/Tokyo"; left out, the time zone of the person'),
  }),
  async run({ timeZone }, { now, timeZone: own }) {
    const zone = timeZone ?? own;
    const { weekday, year, month, day, time, offset } = partsOf(now, zone);
    const text = `${weekday}, ${year}-${month}-${day} ${time} (${zone}, UTC${offset})`;
    return { text, summary: text };
  },
});

function partsOf(now: Date, zone: string) {
  const parts = formatOf(zone).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
  const time = `${part("hour")}:${part("minute")}:${part("second")}`;
  return { weekday: part("weekday"), year: part("year"), month: part("month"), day: part("day"), time, offset };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "long",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    });
  } catch (thrown) {
    throw new AppError(
      "bad-arguments",
      `There is no time zone ${JSON.stringify(zone)}. Use an IANA name such as "Asia/Tokyo".`,
      thrown,
    );
  }
}
