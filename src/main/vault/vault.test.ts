import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  aHome,
  aStorage,
  fileOf,
  filesIn,
  key,
  nothingHere,
  open,
  origin,
  other,
  passphrase,
  refusal,
  textsIn,
} from "../../../tests/support/vault.ts";

describe("a key and its origin", () => {
  test("E10 a key is given to the origin that it was kept for, and to no other", async () => {
    const vault = open(aHome());
    await vault.set("a", origin, key);
    expect(await vault.get("a", origin)).toBe(key);
    for (const evil of ["http://evil.test", "http://api.example.com", "https://api.example.com:8443"])
      await expect(vault.get("a", evil)).rejects.toEqual(refusal("key-missing", evil));
    await expect(vault.get("b", origin)).rejects.toEqual(refusal("key-missing"));
  });

  test("the origin is sealed with the key: whoever edits the file cannot send it elsewhere", async () => {
    const home = aHome();
    await open(home, aStorage()).set("a", origin, key);
    expect(textsIn(home)).not.toContain("example.com");
  });
});

describe("only for this run", () => {
  test("keeps keys in memory, writes nothing, and says so", async () => {
    const home = aHome();
    const vault = open(home);
    await vault.set("a", origin, key);
    expect(vault.state()).toEqual({
      tier: "session",
      backend: "memory, until Lares ends",
      locked: false,
      available: ["passphrase", "session"],
      reason: nothingHere.reason,
    });
    expect(filesIn(home)).toEqual([]);
    expect(vault.secrets()).toEqual([key]);
    expect(open(home).has("a")).toBe("none");
  });
});

describe("with the operating system", () => {
  test("is what is used where it is there; the key is encrypted, and another run reads it", async () => {
    const home = aHome();
    const vault = open(home, aStorage());
    await vault.set("a", origin, key);
    expect(vault.state()).toMatchObject({ tier: "system", backend: "Test Keyring", locked: false });
    expect(textsIn(home)).not.toContain("CANARY");
    expect(await open(home, aStorage()).get("a", origin)).toBe(key);
  });

  test.each([
    ["E1", "basic_text, which is no better than plain text", () => ({ reason: "basic_text" })],
    [
      "E3",
      "one that throws when it is asked",
      () => {
        throw new Error("no DBus");
      },
    ],
  ])("%s a backend that is refused gets no byte, and two other ways are offered: %s", async (_id, _what, backend) => {
    const home = aHome();
    const refused = { ...aStorage("refused", backend), encrypt: () => Promise.reject(new Error("must not be called")) };
    const vault = open(home, refused);
    await vault.set("a", origin, key);
    expect(vault.state()).toMatchObject({
      tier: "session",
      available: ["passphrase", "session"],
      reason: expect.any(String),
    });
    await expect(vault.choose("system")).rejects.toEqual(refusal("bad-request"));
    expect(textsIn(home)).not.toContain("CANARY");
  });

  test("E2 a backend that is not known yet is asked again", async () => {
    let isReady = false;
    const vault = open(
      aHome(),
      aStorage("late", () => (isReady ? { id: "late", name: "Late Keyring" } : nothingHere)),
    );
    await vault.ready();
    expect(vault.state().tier).toBe("session");
    isReady = true;
    await vault.set("a", origin, key);
    expect(vault.state()).toMatchObject({ tier: "system", backend: "Late Keyring" });
  });

  const sealedIn = (home: string): { keys: Record<string, { sealed: string; keeper: string }> } =>
    JSON.parse(readFileSync(fileOf(home, "keys.json"), "utf8"));
  const damages: Record<string, (sealed: string) => string> = {
    "is cut": (sealed) => sealed.slice(0, 8),
    "has a flipped bit": (sealed) =>
      Buffer.from(Buffer.from(sealed, "base64").map((byte, at) => (at === 0 ? byte ^ 1 : byte))).toString("base64"),
    "is empty": () => "",
  };

  test.each(Object.entries(damages))(
    "E4 a key that %s cannot be unlocked, says so, and is kept; the others work",
    async (_what, damage) => {
      const home = aHome();
      const before = open(home, aStorage());
      await before.set("a", origin, key);
      await before.set("b", origin, other);
      const file = sealedIn(home);
      if (file.keys.a) file.keys.a.sealed = damage(file.keys.a.sealed);
      writeFileSync(fileOf(home, "keys.json"), JSON.stringify(file));
      const vault = open(home, aStorage());
      await expect(vault.get("a", origin)).rejects.toEqual(refusal("key-locked", "cannot be unlocked"));
      expect(vault.has("a")).toBe("unreadable");
      expect(await vault.get("b", origin)).toBe(other);
      expect(sealedIn(home).keys.a).toEqual(file.keys.a);
      await vault.set("a", origin, key);
      expect(await vault.get("a", origin)).toBe(key);
    },
  );

  test("E4 a key of another backend is kept and named; it works again where that backend is", async () => {
    const home = aHome();
    await open(home, aStorage("gnome")).set("a", origin, key);
    const vault = open(home, aStorage("kwallet"));
    await vault.set("b", origin, other);
    expect(vault.has("a")).toBe("unreadable"); // without having been tried
    await expect(vault.get("a", origin)).rejects.toEqual(refusal("key-locked", /gnome.*kwallet/));
    expect(await open(home, aStorage("gnome")).get("a", origin)).toBe(key);
  });

  test("E5 a keyring that is away for a moment locks the keys, and another try opens them", async () => {
    const home = aHome();
    await open(home, aStorage()).set("a", origin, key);
    let isThere = false;
    const vault = open(
      home,
      aStorage("test", () => (isThere ? { id: "test", name: "Test Keyring" } : nothingHere)),
    );
    await expect(vault.get("a", origin)).rejects.toEqual(refusal("key-locked", nothingHere.reason));
    expect(vault.state()).toMatchObject({ tier: "system", locked: true });
    expect(vault.has("a")).toBe("locked");
    await expect(vault.unlock()).rejects.toEqual(refusal("key-locked"));
    isThere = true;
    await vault.unlock();
    expect(vault.has("a")).toBe("kept");
    expect(await vault.get("a", origin)).toBe(key);
  });

  test("a list of keys that is damaged is kept beside the next one", async () => {
    const home = aHome();
    await open(home, aStorage()).set("a", origin, key);
    writeFileSync(fileOf(home, "keys.json"), "{ half");
    const vault = open(home, aStorage());
    expect(vault.state().reason).toContain("damaged");
    await vault.set("b", origin, other);
    expect(filesIn(home)).toEqual(["keys.json", expect.stringMatching(/^keys\.json\.bad-\d+$/)]);
    expect(textsIn(home)).toContain("{ half");
  });
});

test("a disk that cannot be written says so, and the key before is as it was", async () => {
  const home = aHome();
  const vault = open(home, aStorage());
  await vault.set("a", origin, key);
  rmSync(join(home, "vault"), { recursive: true });
  writeFileSync(join(home, "vault"), "a file in the way");
  await expect(vault.set("a", origin, other)).rejects.toEqual(refusal("disk-error", "could not be read or written"));
  expect(await vault.get("a", origin)).toBe(key);
});

test("changes that come at once are made one after the other", async () => {
  const home = aHome();
  const vault = open(home, aStorage());
  const names = Array.from({ length: 20 }, (_, at) => `k${at}`);
  await Promise.all([
    ...names.map((name) => vault.set(name, origin, `${key}-${name}`)),
    vault.choose("passphrase", passphrase),
  ]);
  const next = open(home, aStorage());
  await next.unlock(passphrase);
  for (const name of names) expect(await next.get(name, origin)).toBe(`${key}-${name}`);
});
