import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  aHome,
  aStorage,
  fileOf,
  filesIn,
  key,
  open,
  origin,
  other,
  passphrase,
} from "../../../tests/support/vault.ts";
import { openVaultFolder, type VaultFolder } from "./vault-folder.ts";

describe("moving", () => {
  const tiers = ["system", "passphrase", "session"] as const;
  const moves = tiers.flatMap((from) => tiers.filter((to) => to !== from).map((to) => ({ from, to })));

  test.each(moves)("from $from to $to: every key arrives, and leaves where it was", async ({ from, to }) => {
    const home = aHome();
    const vault = open(home, aStorage());
    await vault.choose(from, passphrase);
    await vault.set("a", origin, key);
    await vault.set("b", origin, other);
    await vault.choose(to, passphrase);
    expect(vault.state()).toMatchObject({ tier: to, locked: false });
    expect([await vault.get("a", origin), await vault.get("b", origin)]).toEqual([key, other]);
    expect(filesIn(home).includes("keys.box")).toBe(to === "passphrase");
    const kept = JSON.parse(readFileSync(fileOf(home, "keys.json"), "utf8"));
    expect(Object.keys(kept.keys)).toEqual(to === "system" ? ["a", "b"] : []);
    expect(kept.leaving).toBeUndefined();
  });

  test("a key that cannot be read stays where it is", async () => {
    const home = aHome();
    await open(home, aStorage("gnome")).set("a", origin, key);
    const vault = open(home, aStorage("kwallet"));
    await vault.set("b", origin, other);
    await vault.choose("passphrase", passphrase);
    expect([vault.has("a"), vault.has("b")]).toEqual(["unreadable", "kept"]);
    const before = open(home, aStorage("gnome"));
    expect(await before.get("a", origin)).toBe(key);
  });

  /** The files of a vault that dies at its change number `last`: that one is made or not, and none after it. */
  function dying(home: string, last: number, isMade: boolean): VaultFolder & { changes(): number } {
    const real = openVaultFolder(home);
    let count = 0;
    async function change(work: () => Promise<void>): Promise<void> {
      if (count++ < last || (count === last + 1 && isMade)) await work();
      if (count > last) throw new Error("died");
    }
    return {
      read: real.read,
      write: (name, text) => change(() => real.write(name, text)),
      remove: (name) => change(() => real.remove(name)),
      setAside: (name) => change(() => real.setAside(name)),
      changes: () => count,
    };
  }

  const deaths = [
    { from: "system", to: "passphrase" },
    { from: "passphrase", to: "system" },
  ] as const;

  test.each(deaths)(
    "a death at any write of a move from $from to $to loses no key, and the next run ends the move",
    async ({ from, to }) => {
      let died = 0;
      for (let step = 0, isOver = false; !isOver; step++) {
        const home = aHome();
        const vault = open(home, aStorage());
        await vault.choose(from, passphrase);
        await vault.set("a", origin, key);
        const folder = dying(home, Math.floor(step / 2), step % 2 === 1);
        const doomed = open(home, aStorage(), { folder });
        if (from === "passphrase") await doomed.unlock(passphrase);
        await doomed.choose(to, passphrase).catch(() => died++);
        isOver = folder.changes() <= Math.floor(step / 2);
        const next = open(home, aStorage());
        if (next.state().tier === "passphrase") await next.unlock(passphrase);
        expect(await next.get("a", origin), `${step}`).toBe(key);
        await next.choose(to, passphrase);
        expect(await next.get("a", origin), `${step}`).toBe(key);
        expect(readFileSync(fileOf(home, "keys.json"), "utf8")).not.toContain("leaving");
        expect(filesIn(home).includes("keys.box")).toBe(to === "passphrase");
      }
      expect(died).toBeGreaterThanOrEqual(2);
    },
  );
});
