import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { can } from "../app/linux.ts";
import { ask, hostileRequests } from "../support/hostile-network.ts";

const cannotOwnAddresses = !can("unshare", "-n", "ip", "link", "set", "lo", "up");
const neverLeaves = hostileRequests.filter(({ expected }) => expected.reached.length === 0);

test("the list has at least the known bad addresses, each once", () => {
  expect(hostileRequests.length).toBeGreaterThanOrEqual(110);
  expect(new Set(hostileRequests.map(({ id }) => id)).size).toBe(hostileRequests.length);
});

describe("an address that may not be connected to", () => {
  test.each(neverLeaves)("$id $what: $expected.code", async (request) => {
    const { code, asked, rows } = await ask(request);
    expect(code).toBe(request.expected.code);
    expect(rows.filter(({ outcome }) => outcome !== "refused" && outcome !== "failed")).toEqual([]);
    expect(rows).toHaveLength(code === "bad-request" ? 0 : 1); // what is no address at all has no row
    expect(asked).toHaveLength(Object.keys(request.names).length > 0 && /^(H|G)/.test(request.id) ? 1 : 0);
  });
});

/** Nothing but the door is in the way there: every address of this computer's own answers. */
describe.skipIf(cannotOwnAddresses)(
  "where every address answers (skipped where unshare -n and ip are not allowed)",
  () => {
    let outcomes: Record<string, { code: string; reached: string[]; open: number }> = {};
    let careless: Record<string, string> = {};
    let cut: { code: string; rows: unknown[] };
    beforeAll(() => {
      const child = join(import.meta.dirname, "../support/hostile-network-child.ts");
      const out = execFileSync("unshare", ["-n", process.execPath, child], { encoding: "utf8" });
      ({ outcomes, careless, cut } = JSON.parse(out));
    }, 60_000);

    test.each(hostileRequests)("$id $what: $expected.code", ({ id, expected }) => {
      expect(outcomes[id]).toEqual({ code: expected.code, reached: expected.reached, open: 0 });
    });

    test("an answer from beyond this computer is cut when Local mode is switched on", () => {
      const row = { place: "local-network", outcome: "failed", error: "local-mode", status: 200 };
      expect(cut).toEqual({ code: "local-mode", rows: [expect.objectContaining(row)] });
    });

    test("what has no door gives its secret away, so the refusals mean something", () => {
      expect(Object.values(careless).filter((text) => text === "SECRET").length).toBeGreaterThanOrEqual(30);
    });
  },
);
