import { ByteWriter, type EncodedMap } from '@app/clickhouse';
import type { LeafPath } from './leaf-path.js';

/**
 * The scalars of a call's payloads by path, typed, so that a filter need not parse text. What cannot be held exactly is
 * left out, and its path is among the rest: there the text decides.
 */
export interface Leaves {
  readonly strings: EncodedMap;
  readonly numbers: EncodedMap;
  readonly booleans: EncodedMap;
  /** Hashes of the paths of objects, lists and what was left out. */
  readonly rest: readonly number[];
  /** False when a payload can be read in two ways; then the text decides about every path. */
  readonly full: boolean;
}

const NONE: EncodedMap = { size: 0, bytes: Buffer.alloc(0) };
export const NO_LEAVES: Leaves = {
  strings: NONE,
  numbers: NONE,
  booleans: NONE,
  rest: [],
  full: true,
};

/** Leaves of one kind, gathered for one call. */
export class LeafWriter {
  private readonly writer = new ByteWriter(4096);
  private size = 0;

  /** Begins a leaf; its value is to be written next. */
  at({ bytes, length }: LeafPath): ByteWriter {
    this.size++;
    this.writer.sized(bytes, 0, length);
    return this.writer;
  }

  mark(): readonly [size: number, length: number] {
    return [this.size, this.writer.length];
  }

  backTo([size, length]: readonly [number, number]): void {
    this.size = size;
    this.writer.truncate(length);
  }

  take(): EncodedMap {
    if (this.size === 0) return NONE;
    const taken = { size: this.size, bytes: Buffer.from(this.writer.written()) };
    this.backTo([0, 0]);
    return taken;
  }
}
