import type { Pages } from "./pages.ts";

export type Value = null | number | string | Buffer;

/** One row as it stands on a leaf or inner page: what table it is of only its shape tells. */
export interface StoredRecord {
  /** Absent: of an index, or of a table WITHOUT ROWID. */
  readonly rowid?: number;
  readonly values: readonly Value[];
}

/** What b-tree pages that hold rows begin with (SQLite file format, 1.6). Inner pages of a table hold none. */
const kinds: Readonly<Record<number, { cellsAt: number; leftChild: number; hasRowid: boolean }>> = {
  2: { cellsAt: 12, leftChild: 4, hasRowid: false },
  10: { cellsAt: 8, leftChild: 0, hasRowid: false },
  13: { cellsAt: 8, leftChild: 0, hasRowid: true },
};

/** Nothing that Lares stores is longer. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The rows that can still be read on a page; what is damaged is left out. No pointer between pages is needed but those of long rows. */
export function* recordsOn(pages: Pages, number: number): Generator<StoredRecord> {
  const page = pages.page(number);
  const start = number === 1 ? 100 : 0;
  const kind = page && kinds[page[start] ?? 0];
  if (!page || !kind) return;
  const cells = Math.min(page.readUInt16BE(start + 3), Math.floor(pages.size / 4));
  for (let cell = 0; cell < cells; cell++) {
    const pointer = start + kind.cellsAt + cell * 2;
    if (pointer + 2 > page.length) return;
    const record = recordAt(pages, page, page.readUInt16BE(pointer) + kind.leftChild, kind.hasRowid);
    if (record) yield record;
  }
}

function recordAt(pages: Pages, page: Buffer, at: number, hasRowid: boolean): StoredRecord | undefined {
  try {
    const cell = reader(page, at);
    const length = cell.varint();
    const rowid = hasRowid ? cell.varint() : undefined;
    const payload = payloadAt(pages, page, cell.position(), length, hasRowid);
    return payload && { ...(rowid !== undefined && { rowid }), values: valuesOf(payload) };
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined; // it points outside of the page: not a row any more
    throw thrown;
  }
}

/** The bytes of a row: on its page, and from there in a chain of others where it is long (file format, 1.6). */
function payloadAt(pages: Pages, page: Buffer, at: number, length: number, isTable: boolean): Buffer | undefined {
  const { size } = pages;
  if (length > MOST_BYTES || length < 1) return undefined;
  const most = isTable ? size - 35 : Math.floor(((size - 12) * 64) / 255) - 23;
  if (length <= most) return at + length <= size ? page.subarray(at, at + length) : undefined;
  const least = Math.floor(((size - 12) * 32) / 255) - 23;
  const fitting = least + ((length - least) % (size - 4));
  const local = fitting <= most ? fitting : least;
  const pieces = [page.subarray(at, at + local)];
  let next = page.readUInt32BE(at + local);
  for (let left = length - local; left > 0; left -= size - 4) {
    const more = pages.page(next);
    if (!more) return undefined;
    pieces.push(more.subarray(4, 4 + Math.min(left, size - 4)));
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(pieces);
}

/** A record is a list of types and then the values (file format, 2.1). Throws RangeError where it is none. */
function valuesOf(payload: Buffer): Value[] {
  const types = reader(payload, 0);
  const headerLength = types.varint();
  const values: Value[] = [];
  let at = headerLength;
  while (types.position() < headerLength) {
    const type = types.varint();
    const length = lengthOf(type);
    if (at + length > payload.length) throw new RangeError("a value ends outside of its row");
    values.push(decoded(type, payload.subarray(at, at + length)));
    at += length;
  }
  if (at !== payload.length || types.position() !== headerLength) throw new RangeError("not a row");
  return values;
}

const fixed = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function lengthOf(type: number): number {
  const known = fixed[type];
  if (known !== undefined) return known;
  if (type < 12) throw new RangeError("no such type");
  return Math.floor((type - 12) / 2);
}

function decoded(type: number, bytes: Buffer): Value {
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  return type % 2 === 0 ? Buffer.from(bytes) : bytes.toString("utf8");
}

/** Numbers of 7 bits a byte, one after another. */
function reader(bytes: Buffer, start: number) {
  let at = start;
  return {
    position: () => at,
    varint(): number {
      let value = 0;
      for (let length = 1; length < 9; length++) {
        const byte = bytes.readUInt8(at++);
        value = value * 128 + (byte & 127);
        if (byte < 128) return value;
      }
      return value * 256 + bytes.readUInt8(at++);
    },
  };
}
