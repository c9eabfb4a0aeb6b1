import { AppError, type ErrorCode } from "../../../shared/errors.ts";

/** Bytes that can be read from anywhere: a file, or a buffer in a test. */
export interface ByteSource {
  readonly size: number;
  /** At most `length` bytes from `position`; fewer at the end. */
  read(position: number, length: number): Uint8Array;
}

const windowBytes = 1 << 20;
/** No header is larger: the biggest vocabularies take about 20 MB. */
const headerCap = 256 << 20;
const longestText = 1 << 16;

const readers = {
  u8: [1, (bytes: DataView, at: number) => bytes.getUint8(at)],
  i8: [1, (bytes: DataView, at: number) => bytes.getInt8(at)],
  bool: [1, (bytes: DataView, at: number) => bytes.getUint8(at)],
  u16: [2, (bytes: DataView, at: number) => bytes.getUint16(at, true)],
  i16: [2, (bytes: DataView, at: number) => bytes.getInt16(at, true)],
  u32: [4, (bytes: DataView, at: number) => bytes.getUint32(at, true)],
  i32: [4, (bytes: DataView, at: number) => bytes.getInt32(at, true)],
  f32: [4, (bytes: DataView, at: number) => bytes.getFloat32(at, true)],
  u64: [8, (bytes: DataView, at: number) => bytes.getBigUint64(at, true)],
  i64: [8, (bytes: DataView, at: number) => bytes.getBigInt64(at, true)],
  f64: [8, (bytes: DataView, at: number) => bytes.getFloat64(at, true)],
} as const;

/** Walks through a header without trusting it: nothing is allocated by a number that the file claims. */
export class HeaderCursor {
  readonly name: string;
  position = 0;
  private readonly source: ByteSource;
  private bytes: DataView = new DataView(new ArrayBuffer(0));
  private start = 0;

  constructor(source: ByteSource, name: string) {
    this.source = source;
    this.name = name;
  }

  get left(): number {
    return this.source.size - this.position;
  }

  u32(): number {
    const at = this.need(4);
    return this.bytes.getUint32(at, true);
  }

  u64(): bigint {
    const at = this.need(8);
    return this.bytes.getBigUint64(at, true);
  }

  /** A value of this type, as a number: large ones lose their last digits. */
  number(type: keyof typeof readers): number {
    const [bytes, read] = readers[type];
    const at = this.need(bytes); // may bring other bytes into the window
    return Number(read(this.bytes, at));
  }

  /** A count of things that take at least `bytesEach`: refused when the rest of the file could not hold them. */
  count(what: string, bytesEach: number): number {
    const claimed = this.u64();
    if (claimed <= BigInt(Math.floor(this.left / bytesEach))) return Number(claimed);
    if (claimed < 1n << 32n) throw this.cutShort();
    throw this.invalid(`its header is damaged: it claims ${claimed} ${what}`);
  }

  /** A string; one that is too long to matter here is passed over and comes back empty. */
  text(): string {
    const length = this.count("bytes of text", 1);
    if (length > longestText) {
      this.skip(length);
      return "";
    }
    const at = this.need(length);
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + at, length).toString("utf8");
  }

  skip(length: number): void {
    if (length > this.left) throw this.cutShort();
    this.position += length;
    if (this.position > headerCap) throw this.invalid("its header is larger than that of any model");
  }

  invalid(problem: string): AppError {
    return this.refusal("model-invalid", problem, "Download it again, or choose another file.");
  }

  refusal(code: ErrorCode, problem: string, nextStep: string): AppError {
    return new AppError(code, `${this.name} cannot be used: ${problem}. ${nextStep}`);
  }

  private cutShort(): AppError {
    return this.invalid(`it ends in the middle of its header, after ${this.source.size} bytes`);
  }

  /** Makes `length` bytes from here readable, moves on, and says where in the window they begin. */
  private need(length: number): number {
    if (length > this.left) throw this.cutShort();
    if (this.position < this.start || this.position + length > this.start + this.bytes.byteLength) {
      this.start = this.position;
      const { buffer, byteOffset, byteLength } = this.source.read(this.position, windowBytes);
      this.bytes = new DataView(buffer, byteOffset, byteLength);
    }
    const at = this.position - this.start;
    if (at + length > this.bytes.byteLength) throw this.cutShort();
    this.skip(length);
    return at;
  }
}
