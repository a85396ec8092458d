import { ByteWriter, type ByteRange, type EncodedMap } from '@app/clickhouse';

/**
 * The scalar index of a call: the scalars of its payloads by path and type, so that a filter need not parse text. A value
 * that cannot be stored exactly is not a leaf; its path is unindexed, and there the text decides.
 */
export interface Leaves {
  readonly strings: EncodedMap;
  readonly numbers: EncodedMap;
  readonly booleans: EncodedMap;
  /** Hashes of the paths of objects, lists and values that are not leaves. */
  readonly unindexedPaths: readonly number[];
  /** False when a payload is ambiguous, for example with repeated keys. Then the text decides about every path. */
  readonly isComplete: boolean;
}

const NO_BYTES: ByteRange = { bytes: Buffer.alloc(0), start: 0, end: 0 };
const NONE: EncodedMap = { size: 0, keys: NO_BYTES, values: NO_BYTES };
export const NO_LEAVES: Leaves = {
  strings: NONE,
  numbers: NONE,
  booleans: NONE,
  unindexedPaths: [],
  isComplete: true,
};

/** The leaves of many calls share memory of this size, so that no call needs buffers of its own. */
const SHARED_BYTES = 256 * 1024;
/** Less than this is not worth a copy when the leaves of the next call do not fit. */
const REST_BYTES = 8 * 1024;

/** Bytes of many calls one after the other. A range that was handed out is never written again. */
class SharedBytes {
  private writer = new ByteWriter(SHARED_BYTES);
  private start = 0;

  /** For the current call. */
  get current(): ByteWriter {
    return this.writer;
  }

  /** Ends the current call. Returns its bytes. */
  drain(): ByteRange {
    const { buffer: bytes, capacity, length } = this.writer;
    const { start } = this;
    if (capacity > SHARED_BYTES || capacity - length < REST_BYTES)
      this.writer = new ByteWriter(SHARED_BYTES);
    this.start = this.writer.length;
    return { bytes, start, end: length };
  }
}

/** Encodes the leaves of one type, call by call. */
export class LeafWriter {
  private readonly keys = new SharedBytes();
  private readonly values = new SharedBytes();
  private size = 0;
  /** At the last `mark`. */
  private marked = { size: 0, keyBytes: 0, valueBytes: 0 };

  /** Writes the path of a leaf. The caller writes the value next, to the returned writer. */
  beginLeaf({ bytes, length }: LeafPath): ByteWriter {
    this.size++;
    this.keys.current.sized(bytes, 0, length);
    return this.values.current;
  }

  /** Remembers how far the leaves of the call have been written. */
  mark(): void {
    this.marked.size = this.size;
    this.marked.keyBytes = this.keys.current.length;
    this.marked.valueBytes = this.values.current.length;
  }

  /** Discards the leaves since the last `mark`. */
  rollBack(): void {
    this.size = this.marked.size;
    this.keys.current.truncate(this.marked.keyBytes);
    this.values.current.truncate(this.marked.valueBytes);
  }

  /** Returns the leaves added since the last call. */
  drain(): EncodedMap {
    const { size } = this;
    if (size === 0) return NONE;
    this.size = 0;
    return { size, keys: this.keys.drain(), values: this.values.drain() };
  }
}

const DOT = 0x2e;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** The path of the value that a scan is reading, as bytes, for example `inputs.messages.0.role`. */
export class LeafPath {
  bytes = Buffer.allocUnsafe(1024);
  length = 0;
  /** Hash of the key that was added last. Different keys of one object rarely have the same hash. */
  hash = 0;

  reset(field: string): void {
    this.length = 0;
    this.reserve(field.length * 3);
    this.length = this.bytes.write(field, 0);
  }

  truncate(length: number): void {
    this.length = length;
  }

  addIndex(index: number): void {
    this.reserve(16);
    this.bytes[this.length++] = DOT;
    if (index < 10) this.bytes[this.length++] = ZERO + index;
    else this.length += this.bytes.write(String(index), this.length);
  }

  /** Adds a dot and the key at these offsets. Returns false when the key has JSON escapes; then call `addKey`. */
  addPlainKey(json: Buffer, start: number, end: number): boolean {
    this.reserve(2 * (end - start) + 1);
    const { bytes } = this;
    let to = this.length;
    let hash = 0x811c9dc5;
    bytes[to++] = DOT;
    for (let at = start; at < end; at++) {
      const byte = json[at]!;
      if (byte === BACKSLASH) return false;
      if (byte === DOT) bytes[to++] = BACKSLASH;
      bytes[to++] = byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    this.hash = hash;
    this.length = to;
    return true;
  }

  /** Adds a dot and an unescaped key. Dots and backslashes in the key are escaped with a backslash. */
  addKey(key: string): void {
    const keyBytes = Buffer.from(key);
    this.reserve(2 * keyBytes.length + 1);
    let hash = 0x811c9dc5;
    this.bytes[this.length++] = DOT;
    for (const byte of keyBytes) {
      if (byte === DOT || byte === BACKSLASH) this.bytes[this.length++] = BACKSLASH;
      this.bytes[this.length++] = byte;
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    this.hash = hash;
  }

  private reserve(needed: number): void {
    if (this.length + needed <= this.bytes.length) return;
    const bigger = Buffer.allocUnsafe(2 * (this.length + needed));
    this.bytes.copy(bigger, 0, 0, this.length);
    this.bytes = bigger;
  }
}
