import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aWorkshop, whyNot } from "../crash/faults.ts";
import { type Answer, startFaultServer } from "../support/fault-server.ts";
import { entryFor } from "../support/model-fixture.ts";

const content = Buffer.concat([Buffer.from("GGUF"), randomBytes(1_200_000)]);
const drip: Answer = { dripMs: 60 };

/** A process that fetches the model, on a disk that may be full from some call on. */
async function fetchOnto(folder: string, hub: string, fault: NodeJS.ProcessEnv) {
  const script = join(import.meta.dirname, "../support/fetch-child.ts");
  const env = { PATH: join(folder, "no-pip"), HF_ENDPOINT: hub, LARES_MODEL_CACHE: join(folder, "cache"), ...fault };
  const child = spawn(process.execPath, [script, join(folder, "content"), join(folder, "models")], { env });
  let said = "";
  child.stderr.on("data", (text: Buffer) => {
    said += text.toString();
  });
  const [code] = await once(child, "close");
  return { code, said };
}

test.skipIf(whyNot() !== undefined)(
  "a disk that fills up on the way is said, what came is kept, and the download goes on from there when there is room",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "lares-full-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const workshop = aWorkshop();
    onTestFinished(() => workshop.leave());
    const hub = await startFaultServer(content, [drip, {}]);
    onTestFinished(() => hub.close());
    writeFileSync(join(folder, "content"), content);
    mkdirSync(join(folder, "models"));
    const entry = entryFor(content);
    const target = join(folder, "models", entry.file);

    const full = await fetchOnto(folder, hub.url, {
      ...{
        LD_PRELOAD: join(workshop.root, "faults.so"),
        LARES_FAULT_FOLDER: join(folder, "models"),
        LARES_FAULT_MODE: "fail",
      },
      ...{ LARES_FAULT_AT: "8", LARES_FAULT_FOR: "1000000", LARES_FAULT_ERRNO: "28" },
    });
    expect(full).toMatchObject({ code: 1, said: expect.stringMatching(/disk is full[\s\S]*Free some room/i) });
    expect(existsSync(target)).toBe(false);
    const [part = ""] = globSync(`${target}.part*/body`);
    const kept = statSync(part).size;
    expect(kept).toBeGreaterThan(0);

    expect(await fetchOnto(folder, hub.url, {})).toMatchObject({ code: 0 });
    expect(readFileSync(target).equals(content)).toBe(true);
    expect(hub.requests.at(-1)?.range).toBe(`bytes=${kept}-`);
  },
);
