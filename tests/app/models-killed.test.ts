import { randomBytes } from "node:crypto";
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sha256, startHub } from "../support/hub.ts";
import { seeded } from "../support/seeded.ts";
import { lares, startLares } from "./lares.ts";

const MEGABYTES = 24;
const KILLS = 10;
/** Bytes in ten milliseconds: a second for the whole. */
const PACE = 256 * 1024;

test("a download that is killed ten times at random points comes whole, with the right hash, and hardly fetches anything twice", async () => {
  const base = mkdtempSync(join(tmpdir(), "lares-killed-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const model = Buffer.concat([Buffer.from("GGUF"), randomBytes(MEGABYTES * 1e6 - 4)]);
  const hub = await startHub({ "someone/Big-GGUF": { files: { "Big-Q8_0.gguf": model } } });
  onTestFinished(() => hub.close());
  hub.fail(...Array.from({ length: KILLS + 1 }, () => ({ pace: PACE })));
  const home = join(base, "home");
  const folder = join(home, "models");
  const target = join(folder, "Big-Q8_0.gguf");
  const env = { HF_ENDPOINT: hub.url, LARES_MODEL_CACHE: join(base, "cache") };
  const get = ["models", "get", "someone/Big-GGUF/Big-Q8_0.gguf"];
  const bytesThere = () => Math.max(0, ...globSync(join(folder, "*.part*", "body")).map((path) => statSync(path).size));

  const random = seeded(20_261_201).next;
  const points = Array.from({ length: KILLS }, () => Math.floor(random() * 0.95 * model.length)).sort((a, b) => a - b);
  for (const point of points) {
    const { child, ended } = startLares(home, get, { env });
    await expect.poll(bytesThere, { timeout: 20_000, interval: 2 }).toBeGreaterThan(point);
    child.kill("SIGKILL");
    expect((await ended).signal).toBe("SIGKILL");
    expect(existsSync(target)).toBe(false);
  }
  expect(await lares(home, get, { env })).toMatchObject({ code: 0 });
  expect(sha256(readFileSync(target))).toBe(sha256(model));
  expect(readdirSync(folder).filter((name) => name.includes(".part"))).toEqual([]);
  expect(hub.sent / model.length).toBeLessThan(1.5);
  expect(hub.requests.filter((line) => line.startsWith("/lfs/") && line.includes("bytes="))).not.toEqual([]);
}, 120_000);
