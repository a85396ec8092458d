import { ByteWriter, type EncodedMap } from '@app/clickhouse';
import type { LeafPath } from './leaf-path.js';

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

const NONE: EncodedMap = { size: 0, bytes: Buffer.alloc(0) };
export const NO_LEAVES: Leaves = {
  strings: NONE,
  numbers: NONE,
  booleans: NONE,
  unindexedPaths: [],
  isComplete: true,
};

/** Encodes the leaves of one type for one call. */
export class LeafWriter {
  private readonly writer = new ByteWriter(4096);
  private size = 0;

  /** Writes the path of a leaf. The caller writes the value next, to the returned writer. */
  beginLeaf({ bytes, length }: LeafPath): ByteWriter {
    this.size++;
    this.writer.sized(bytes, 0, length);
    return this.writer;
  }

  mark(): readonly [size: number, length: number] {
    return [this.size, this.writer.length];
  }

  rollBackTo([size, length]: readonly [number, number]): void {
    this.size = size;
    this.writer.truncate(length);
  }

  /** Returns the leaves added since the last call. */
  drain(): EncodedMap {
    if (this.size === 0) return NONE;
    const leaves = { size: this.size, bytes: Buffer.from(this.writer.written()) };
    this.rollBackTo([0, 0]);
    return leaves;
  }
}
