import { ByteWriter, type EncodedMap } from '@app/clickhouse';

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

const NO_BYTES = Buffer.alloc(0);
const NONE: EncodedMap = { size: 0, keys: NO_BYTES, values: NO_BYTES };
export const NO_LEAVES: Leaves = {
  strings: NONE,
  numbers: NONE,
  booleans: NONE,
  unindexedPaths: [],
  isComplete: true,
};

/** How far the leaves of one type have been written. */
interface LeafMark {
  readonly size: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
}

/** Encodes the leaves of one type for one call. */
export class LeafWriter {
  private readonly keys = new ByteWriter(4096);
  private readonly values = new ByteWriter(4096);
  private size = 0;

  /** Writes the path of a leaf. The caller writes the value next, to the returned writer. */
  beginLeaf({ bytes, length }: LeafPath): ByteWriter {
    this.size++;
    this.keys.sized(bytes, 0, length);
    return this.values;
  }

  mark(): LeafMark {
    return { size: this.size, keyBytes: this.keys.length, valueBytes: this.values.length };
  }

  rollBackTo({ size, keyBytes, valueBytes }: LeafMark): void {
    this.size = size;
    this.keys.truncate(keyBytes);
    this.values.truncate(valueBytes);
  }

  /** Returns the leaves added since the last call. */
  drain(): EncodedMap {
    const { size } = this;
    if (size === 0) return NONE;
    const keys = Buffer.from(this.keys.written());
    const values = Buffer.from(this.values.written());
    this.size = 0;
    this.keys.clear();
    this.values.clear();
    return { size, keys, values };
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
