import { describe, expect, test } from "vitest";
import { currentTimeTool } from "./current-time.ts";

const at = async (time: string, input: object, timeZone = "Europe/Berlin") => {
  const context = { workspace: "/", signal: new AbortController().signal, now: new Date(time), timeZone };
  return (await currentTimeTool.run(input, context)).text;
};

describe("the time", () => {
  test.each([
    ["2025-03-05T23:30:00Z", {}, "Thursday, 2025-03-06 00:30:00 (Europe/Berlin, UTC+01:00)"],
    ["2025-07-05T12:00:00Z", {}, "Saturday, 2025-07-05 14:00:00 (Europe/Berlin, UTC+02:00)"],
    ["2025-03-05T23:30:09Z", { timeZone: "Asia/Kolkata" }, "Thursday, 2025-03-06 05:00:09 (Asia/Kolkata, UTC+05:30)"],
    [
      "2025-03-05T03:00:00Z",
      { timeZone: "America/New_York" },
      "Tuesday, 2025-03-04 22:00:00 (America/New_York, UTC-05:00)",
    ],
    ["2025-03-05T00:00:00Z", { timeZone: "UTC" }, "Wednesday, 2025-03-05 00:00:00 (UTC, UTC+00:00)"],
  ])("at %s for %j is %s", async (time, input, text) => {
    expect(await at(time, input)).toBe(text);
  });

  test("in a zone that does not exist is refused with its name", async () => {
    await expect(at("2025-03-05T00:00:00Z", { timeZone: "Mars/Base" })).rejects.toMatchObject({
      code: "bad-arguments",
      message: expect.stringContaining("Mars/Base"),
    });
  });
});
