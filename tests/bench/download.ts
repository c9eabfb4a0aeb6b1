import { execFileSync, fork, spawnSync } from "node:child_process";
import { createHash, randomFillSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fetchModel } from "../../src/main/models/fetch-model.ts";
import { aDoor } from "../support/door.ts";
import { entryFor } from "../support/model-fixture.ts";
import { figure, type Group, median, ratio } from "./figure.ts";

const MEGABYTES = 300;
const ROUNDS = 3;

/**
 * A model through the door, hashed, durable and under its name, against curl, which only writes what comes: over a line
 * of 1 Gbit/s, as fast as most people's, and as fast as this computer can. One after the other in turn, so that what
 * else runs here disturbs both; the median of the rounds.
 */
export const download: Group = {
  name: "download",
  async measure() {
    if (spawnSync("curl", ["--version"]).status !== 0) return [figure("download ÷ curl (no curl here)", null, ratio)];
    const folder = mkdtempSync(join(tmpdir(), "lares-bench-download-"));
    const content = randomFillSync(Buffer.allocUnsafe(MEGABYTES * 1e6));
    writeFileSync(join(folder, "content"), content);
    const server = fork(join(import.meta.dirname, "file-server.ts"), [join(folder, "content")]);
    try {
      const [port] = await once(server, "message");
      const line = await compare(`http://127.0.0.1:${port}/line`, content, folder);
      const loopback = await compare(`http://127.0.0.1:${port}/all`, content, folder);
      const what = `download of ${MEGABYTES} MB, hashed`;
      return [
        figure(`${what}, over 1 Gbit/s: throughput ÷ curl`, line.curl, ratio, { atLeast: 0.9 }),
        figure(`${what}, over loopback: throughput ÷ curl`, loopback.curl, ratio),
        figure(`${what}, over loopback: throughput ÷ curl and then SHA-256`, loopback.hashed, ratio),
        figure(`${what}, over loopback`, loopback.speed, "MB/s (this machine)"),
      ];
    } finally {
      server.disconnect();
      rmSync(folder, { recursive: true });
    }
  },
};

async function compare(url: string, content: Buffer, folder: string) {
  const entry = entryFor(content, { sources: [{ kind: "hub", repository: "a/b", revision: "main", file: "c.gguf" }] });
  const environment = { HF_ENDPOINT: url, LARES_MODEL_CACHE: join(folder, "cache") };
  const rounds: { curl: number; hashed: number; lares: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const fetched = join(folder, "curl");
    const curl = await timed(() => execFileSync("curl", ["-s", "-o", fetched, `${url}/a`]));
    const hash = await timed(() => createHash("sha256").update(content).digest());
    rmSync(fetched);
    const modelsFolder = join(folder, "models");
    const signal = AbortSignal.timeout(120_000);
    const lares = await timed(() => fetchModel(entry, { modelsFolder, door: aDoor(), signal, environment }));
    rmSync(modelsFolder, { recursive: true });
    rounds.push({ curl, hashed: curl + hash, lares });
  }
  const over = (name: "curl" | "hashed") => median(rounds.map((one) => one[name] / one.lares));
  const speed = MEGABYTES / median(rounds.map(({ lares }) => lares / 1000));
  return { curl: over("curl"), hashed: over("hashed"), speed };
}

async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
