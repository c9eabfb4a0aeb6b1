import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { zip } from "../../../tests/support/zip.ts";
import { extractMember } from "./zip-member.ts";

const model = Buffer.concat([randomBytes(100_000), Buffer.alloc(200_000)]);
const members = { "a/metadata": Buffer.from("x"), "a/model.gguf": model, "b/model.gguf": Buffer.from("not this one") };

let folder: string;
let to: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lares-zip-"));
  to = join(folder, "out");
});
afterEach(() => rmSync(folder, { recursive: true }));

function extract(archive: Buffer, member = "a/model.gguf", bytes = model.length): Promise<void> {
  const path = join(folder, "archive");
  writeFileSync(path, archive);
  return extractMember({ archive: path, member, to, bytes }, new AbortController().signal);
}

/** The archive with some bytes at a place of it overwritten. */
function damaged(archive: Buffer, at: number, bytes: string): Buffer {
  const copy = Buffer.from(archive);
  copy.write(bytes, at < 0 ? copy.length + at : at, "latin1");
  return copy;
}

describe("a member of an archive", () => {
  test.each(["deflated", "stored"] as const)("comes out as it went in, %s", async (method) => {
    await extract(zip(members, method));
    expect(readFileSync(to).equals(model)).toBe(true);
  });

  test("is found in front of an archive comment", async () => {
    const archive = zip(members);
    archive.writeUInt16LE(3, archive.length - 2);
    await extract(Buffer.concat([archive, Buffer.from("end")]));
    expect(readFileSync(to).equals(model)).toBe(true);
  });

  const archive = zip(members);
  const directory = archive.readUInt32LE(archive.length - 6);
  const second = directory + 46 + "a/metadata".length;
  const content = archive.readUInt32LE(second + 42) + 30 + "a/model.gguf".length;
  test.each([
    ["nothing at all", Buffer.alloc(0), /no directory/],
    ["something else", randomBytes(500), /no directory/],
    ["an archive without it", zip({ other: model }), /does not contain a\/model\.gguf/],
    [
      "a bomb: more than it should be",
      zip({ ...members, "a/model.gguf": Buffer.alloc(5_000_000) }),
      /does not have 300000 bytes/,
    ],
    ["less than it should be", zip({ ...members, "a/model.gguf": model.subarray(1) }), /does not have 300000 bytes/],
    ["a cut archive", Buffer.concat([archive.subarray(0, 5000), archive.subarray(directory)]), /does not contain/],
    ["bytes that do not unpack", damaged(archive, content, "\xff\xff"), /damaged/],
    ["an encrypted member", damaged(archive, second + 8, "\x01"), /unknown way/],
    ["an unknown packing", damaged(archive, second + 10, "\x0c"), /unknown way/],
    ["a member somewhere else", damaged(archive, second + 42, "\x05\0"), /not where its directory says/],
    ["an endless directory", damaged(archive, -10, "\xff\xff\xff\x7f"), /too long/],
    ["a directory behind the end", damaged(archive, -6, "\xff\xff\xff\x7f"), /damaged|does not contain/],
  ])("is refused out of %s", async (_name, bytes, words) => {
    await expect(extract(bytes)).rejects.toMatchObject({
      code: "download-failed",
      message: expect.stringMatching(words),
    });
    expect(existsSync(to) ? statSync(to).size : 0).toBeLessThanOrEqual(model.length);
  });

  test.skipIf(!existsSync("/dev/full"))("says that the disk is full", async () => {
    symlinkSync("/dev/full", to);
    await expect(extract(zip(members))).rejects.toMatchObject({ code: "disk-full" });
  });
});
