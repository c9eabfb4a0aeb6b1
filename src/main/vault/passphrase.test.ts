import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  aHome,
  fileOf,
  filesIn,
  key,
  open,
  origin,
  other,
  passphrase,
  refusal,
  textsIn,
} from "../../../tests/support/vault.ts";
import { stretch, stretchSlowly, usualCost } from "./stretch.ts";

describe("with a passphrase", () => {
  async function aBox(): Promise<string> {
    const home = aHome();
    const vault = open(home);
    await vault.choose("passphrase", passphrase);
    await vault.set("a", origin, key);
    await vault.set("b", origin, other);
    return home;
  }

  test("nothing of a key can be read in the file; the passphrase opens it in another run", async () => {
    const home = await aBox();
    expect(textsIn(home)).not.toMatch(/CANARY|example\.com|correct horse/);
    const vault = open(home);
    expect(vault.state()).toMatchObject({ tier: "passphrase", locked: true });
    expect([vault.has("a"), vault.has("c")]).toEqual(["locked", "none"]);
    expect(vault.secrets()).toEqual([]);
    await expect(vault.get("a", origin)).rejects.toEqual(refusal("key-locked", "passphrase"));
    await expect(vault.set("c", origin, key)).rejects.toEqual(refusal("key-locked"));
    await vault.unlock(passphrase);
    expect(await vault.get("a", origin)).toBe(key);
    expect(vault.secrets().toSorted()).toEqual([key, other]);
  });

  test("a passphrase is the same, however its letters were composed", async () => {
    const home = aHome();
    await open(home).choose("passphrase", "café crème brûlée");
    await open(home).unlock("café crème brûlée".normalize("NFD"));
  });

  test("what people choose costs 64 MiB and three passes to try, and comes out the same with Node and without", async () => {
    const home = aHome();
    await open(home, undefined, { cost: usualCost }).choose("passphrase", passphrase);
    const { cost, salt } = JSON.parse(readFileSync(fileOf(home, "keys.box"), "utf8"));
    expect(cost).toEqual({ name: "argon2id", memory: 65_536, passes: 3, lanes: 4 });
    const bytes = Buffer.from(salt, "base64");
    expect(await stretchSlowly(passphrase, bytes, cost)).toEqual(await stretch(passphrase, bytes, cost));
    await open(home).unlock(passphrase);
  });

  test("E16 the files are their owner's alone, whatever the umask, and a wider folder is narrowed", async () => {
    const before = process.umask(0);
    try {
      const home = aHome();
      mkdirSync(join(home, "vault"), { recursive: true });
      chmodSync(join(home, "vault"), 0o777);
      const vault = open(home);
      await vault.choose("passphrase", passphrase);
      const mode = (path: string) => statSync(path).mode & 0o777;
      expect(mode(join(home, "vault"))).toBe(0o700);
      expect(filesIn(home).map((name) => mode(fileOf(home, name)))).toEqual([0o600, 0o600]);
    } finally {
      process.umask(before);
    }
  });

  test("a wrong passphrase changes nothing, and a short or missing one is not taken", async () => {
    const home = await aBox();
    const before = textsIn(home);
    const vault = open(home);
    await expect(vault.unlock("correct horse")).rejects.toEqual(refusal("key-locked", "does not open"));
    await expect(vault.unlock()).rejects.toEqual(refusal("bad-request"));
    await expect(open(aHome()).choose("passphrase")).rejects.toEqual(refusal("bad-request"));
    await expect(open(aHome()).choose("passphrase", "short")).rejects.toEqual(refusal("bad-request", "8 characters"));
    expect(textsIn(home)).toBe(before);
  });

  const damages: Record<string, (text: string) => string> = {
    "with a flipped bit in what is sealed": (text) =>
      text.replace(/("sealed": ".{9})(.)/, (_, a, b) => `${a}${b === "A" ? "B" : "A"}`),
    "with another salt": (text) => text.replace(/("salt": ")(.)/, (_, a, b) => `${a}${b === "A" ? "B" : "A"}`),
    "cut in the middle": (text) => text.slice(0, text.length / 2),
    "of no bytes": () => "",
    "that wants all the memory there is": (text) => text.replace('"memory": 64', '"memory": 999999999'),
  };

  test.each(Object.entries(damages))(
    "a file %s says that it is damaged, and is kept when another takes its place",
    async (_what, damage) => {
      const home = await aBox();
      const damaged = damage(readFileSync(fileOf(home, "keys.box"), "utf8"));
      writeFileSync(fileOf(home, "keys.box"), damaged);
      const vault = open(home);
      await expect(vault.unlock(passphrase)).rejects.toEqual(refusal("key-locked", "damaged"));
      expect(vault.state()).toMatchObject({ locked: true, reason: expect.stringContaining("damaged") });
      expect(vault.has("a")).toBe("unreadable");
      await vault.choose("passphrase", "another long passphrase");
      await vault.set("a", origin, key);
      expect(await vault.get("a", origin)).toBe(key);
      const [kept = ""] = filesIn(home).filter((name) => name.startsWith("keys.box.bad-"));
      expect(readFileSync(fileOf(home, kept), "utf8")).toBe(damaged);
    },
  );

  test("a passphrase is changed without a key being given again", async () => {
    const home = await aBox();
    const vault = open(home);
    await expect(vault.choose("passphrase", "another long passphrase")).rejects.toEqual(refusal("key-locked"));
    await vault.unlock(passphrase);
    await vault.choose("passphrase", "another long passphrase");
    const next = open(home);
    await expect(next.unlock(passphrase)).rejects.toEqual(refusal("key-locked"));
    await next.unlock("another long passphrase");
    expect(await next.get("b", origin)).toBe(other);
  });

  test("who forgot the passphrase removes the connections and begins again; a removed key does not come back", async () => {
    const home = await aBox();
    const first = open(home);
    await first.remove("a");
    expect([first.has("a"), first.has("b")]).toEqual(["none", "locked"]);
    const second = open(home);
    await second.unlock(passphrase);
    expect([second.has("a"), second.has("b")]).toEqual(["none", "kept"]);
    const third = open(home);
    await expect(third.choose("session")).rejects.toEqual(refusal("key-locked", "remove the connections"));
    await third.remove("b");
    expect(filesIn(home)).not.toContain("keys.box");
    await third.choose("passphrase", "another long passphrase");
  });
});
