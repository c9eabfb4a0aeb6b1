import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { seeded } from "../../../tests/support/seeded.ts";
import { hostOf, kindOf, placeOf, placeOfUrl } from "./addresses.ts";

const hasPython = spawnSync("python3", ["-c", "import ipaddress"]).status === 0;

/** Reads addresses, one a line; says which of them anyone on the internet can have. */
const judge = `
import ipaddress, sys
for line in sys.stdin:
    address = ipaddress.ip_address(line.strip())
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    print(int(address.is_global and not address.is_multicast))
`;

/** Where the ranges begin that mean something: pure chance would hardly ever hit one. */
const fours = [0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 255];
const sixes = [
  "::",
  "::ffff:",
  "64:ff9b::",
  "64:ff9b:1:",
  "100::",
  "2001:",
  "2001:db8:",
  "2002:",
  "3fff:",
  "5f00:",
  "fc00:",
];

function randomAddresses(count: number): string[] {
  const { next: random } = seeded(20_261_201);
  const below = (limit: number) => Math.floor(random() * limit);
  const one = (list: readonly (string | number)[]) => list[below(list.length)] ?? "";
  const four = () => [random() < 0.5 ? one(fours) : below(256), below(256), below(256), below(256)].join(".");
  const group = () => below(65_536).toString(16);
  const six = () => {
    const start = random() < 0.6 ? String(one([...sixes, "fe80:", "fec0:", "ff02:"])) : `${group()}:`;
    const groups = Array.from({ length: start.startsWith("::") || start.endsWith("::") ? 2 : 3 }, group).join(":");
    return start.includes("::") ? `${start}${groups}` : `${start}${groups}::${group()}`;
  };
  return Array.from({ length: count }, () => (random() < 0.5 ? four() : six()));
}

describe("the kind of an address", () => {
  test.each([
    ["93.184.216.34", "global"],
    ["2606:4700::1111", "global"],
    ["::ffff:93.184.216.34", "global"],
    ["127.8.8.8", "loopback"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["192.168.1.2", "private"],
    ["100.100.1.1", "private"],
    ["fd12:3456::1", "private"],
    ["198.18.0.7", "made-up"],
    ["169.254.169.254", "never"],
    ["0.0.0.0", "never"],
    ["::127.0.0.1", "never"],
    ["::93.184.216.34", "never"],
    ["0:0:0:0:0:0:127.0.0.1", "never"],
    ["fe80::1%lo", "never"],
    ["64:ff9b::7f00:1", "never"],
    ["4000::1", "never"],
  ])("%s is %s", (address, kind) => expect(kindOf(address)).toBe(kind));

  test.skipIf(!hasPython)(
    "of 100,000 random ones is never global where Python says otherwise (skipped without python3)",
    () => {
      const addresses = randomAddresses(100_000);
      const { stdout } = spawnSync("python3", ["-c", judge], {
        input: addresses.join("\n"),
        encoding: "utf8",
        maxBuffer: 2 ** 24,
      });
      const verdicts = stdout.trim().split("\n");
      expect(verdicts).toHaveLength(addresses.length);
      const allowed = addresses.filter((address) => kindOf(address) === "global");
      const wrong = addresses.filter((address, at) => kindOf(address) === "global" && verdicts[at] !== "1");
      expect(wrong).toEqual([]);
      expect(allowed.length).toBeGreaterThan(20_000); // it does not refuse everything
      expect(allowed.length).toBeLessThan(80_000);
    },
    30_000,
  );
});

describe("the place of an address", () => {
  test.each([
    ["http://127.0.0.1:11434/v1", "this-computer"],
    ["http://localhost:1234", "this-computer"],
    ["http://[::1]:8080/v1", "this-computer"],
    ["http://2130706433/", "this-computer"],
    ["http://192.168.1.7:8000", "local-network"],
    ["http://[fd00::7]/", "local-network"],
    ["http://nas:11434", "local-network"],
    ["http://studio.local:1234", "local-network"],
    ["https://api.example.com/v1", "cloud"],
    ["https://localhost.example.com", "cloud"],
    ["https://8.8.8.8/", "cloud"],
    ["http://169.254.169.254/", "cloud"],
  ])("%s is %s, without asking anyone", (url, place) => expect(placeOfUrl(url)).toBe(place));

  test("made up by a proxy program is the cloud: that is where it leads", () =>
    expect(placeOf("198.18.3.4")).toBe("cloud"));

  test("has no brackets and no dot of the root in its host", () => {
    expect([hostOf(new URL("http://[::1]/")), hostOf(new URL("http://example.com./"))]).toEqual(["::1", "example.com"]);
  });
});
