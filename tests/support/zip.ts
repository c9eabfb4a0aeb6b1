import { deflateRawSync } from "node:zlib";

/** A small zip archive, as Python wheels are: each member deflated, or stored as it is. */
export function zip(members: Readonly<Record<string, Buffer>>, method: "deflated" | "stored" = "deflated"): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(members)) {
    const packed = method === "deflated" ? deflateRawSync(content) : content;
    const common = Buffer.alloc(26); // the fields that both headers have, from "version needed" to "extra length"
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method === "deflated" ? 8 : 0, 4);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = [Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), packed];
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, rest, Buffer.from(name));
    files.push(...local);
    at += local.reduce((sum, { length }) => sum + length, 0);
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Object.keys(members).length, 8);
  end.writeUInt16LE(Object.keys(members).length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, entries, end]);
}
