/** The longest text that is written character by character. Two calls into native code cost more for texts that short. */
const SHORT_TEXT = 48;
/** The longest range that is copied byte by byte, for the same reason. */
const SHORT_RANGE = 64;

const UINT32 = 2 ** 32;
const UINT64 = 2n ** 64n;
const INT64 = 2n ** 63n;

/** Writes values in ClickHouse's binary encoding into one growing buffer. */
export class ByteWriter {
  private bytes: Buffer;
  /** Of the same memory. Writes numbers without the objects that `Buffer` makes for a bigint. */
  private view: DataView;
  private at = 0;
  /** The offset that was written last. */
  private offset = 0;

  constructor(capacity = 1 << 16) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
    this.view = viewOf(this.bytes);
  }

  get length(): number {
    return this.at;
  }

  get capacity(): number {
    return this.bytes.length;
  }

  /** What is written to. When it is full, a larger copy takes its place, and this one keeps what it has. */
  get buffer(): Buffer {
    return this.bytes;
  }

  /** A view of the bytes written so far. The next write may invalidate it. */
  written(): Buffer {
    return this.bytes.subarray(0, this.at);
  }

  uint8(value: number): void {
    this.reserve(1);
    this.bytes[this.at++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    requireRange(Number.isInteger(value) && value >= 0 && value < UINT32, value);
    this.view.setUint32(this.at, value, true);
    this.at += 4;
  }

  uint64(value: number | bigint): void {
    this.reserve(8);
    requireRange(value >= 0 && value < UINT64, value);
    if (typeof value === 'bigint') this.view.setBigUint64(this.at, value, true);
    else this.words(value);
    this.at += 8;
  }

  /** Writes where a list of `count` elements ends among the elements of all lists. */
  endOfList(count: number): void {
    this.offset += count;
    this.uint64(this.offset);
  }

  int64(value: number | bigint): void {
    this.reserve(8);
    if (typeof value === 'number' && Number.isSafeInteger(value)) this.words(value);
    else {
      const exact = BigInt(value);
      requireRange(exact >= -INT64 && exact < INT64, value);
      this.view.setBigInt64(this.at, exact, true);
    }
    this.at += 8;
  }

  /** Writes an integer of 64 bits in two halves. */
  private words(value: number): void {
    requireRange(Number.isInteger(value), value);
    this.view.setUint32(this.at, value % UINT32, true);
    this.view.setUint32(this.at + 4, Math.floor(value / UINT32), true);
  }

  float64(value: number): void {
    this.reserve(8);
    this.view.setFloat64(this.at, value, true);
    this.at += 8;
  }

  varUint(value: number): void {
    this.reserve(5);
    let remaining = value;
    while (remaining >= 0x80) {
      this.bytes[this.at++] = (remaining & 0x7f) | 0x80;
      remaining >>>= 7;
    }
    this.bytes[this.at++] = remaining;
  }

  text(value: string | Buffer): void {
    if (typeof value !== 'string') {
      this.varUint(value.length);
      this.raw(value);
      return;
    }
    if (value.length <= SHORT_TEXT && this.plainText(value)) return;
    const length = Buffer.byteLength(value);
    this.varUint(length);
    this.reserve(length);
    this.at += this.bytes.write(value, this.at);
  }

  /** Returns false, and has written nothing, when a character needs more than a byte. */
  private plainText(value: string): boolean {
    const { length } = value;
    this.reserve(length + 1);
    const { bytes } = this;
    let at = this.at;
    bytes[at++] = length;
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return false;
      bytes[at++] = code;
    }
    this.at = at;
    return true;
  }

  /** Writes a range of `from` as a String: its length, then its bytes. */
  sized(from: Buffer, start: number, end: number): void {
    this.varUint(end - start);
    this.part(from, start, end);
  }

  raw(value: Buffer): void {
    this.part(value, 0, value.length);
  }

  /** Copies a range of `from`. For a short range a loop is faster than `Buffer.copy`, which makes a view of it first. */
  part(from: Buffer, start: number, end: number): void {
    const length = end - start;
    this.reserve(length);
    if (length > SHORT_RANGE) from.copy(this.bytes, this.at, start, end);
    else {
      const { bytes, at } = this;
      for (let i = 0; i < length; i++) bytes[at + i] = from[start + i]!;
    }
    this.at += length;
  }

  hex(value: string): void {
    this.reserve(value.length >>> 1);
    this.at += this.bytes.write(value, this.at, 'hex');
  }

  /** Discards everything after the first `length` bytes. */
  truncate(length: number): void {
    this.at = length;
  }

  /** Discards everything. */
  clear(): void {
    this.at = 0;
    this.offset = 0;
  }

  private reserve(needed: number): void {
    if (this.at + needed <= this.bytes.length) return;
    const bigger = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.at + needed));
    this.bytes.copy(bigger, 0, 0, this.at);
    this.bytes = bigger;
    this.view = viewOf(bigger);
  }
}

const viewOf = ({ buffer, byteOffset, byteLength }: Buffer): DataView =>
  new DataView(buffer, byteOffset, byteLength);

function requireRange(isInRange: boolean, value: number | bigint): void {
  if (!isInRange) throw new RangeError(`${String(value)} does not fit its column`);
}
