import { extentOfValue, type Extent, type ShapeObserver, type Span } from '@app/wire';
import type { Redaction } from './redaction.js';

/** The payloads of a batch are in five other containers, and those of other bodies in fewer. */
const DEPTH_MAX = 6;
/** Bounds the memory. The containers after these are scanned when they are read. */
const CONTAINERS_MAX = 200_000;
/** The same for secrets. With more of them, items are scanned for theirs. */
const SECRETS_MAX = 50_000;
/** Start, end and levels of a container. */
const NUMBERS = 3;

/** What the check of a body notes for the readers of its records, so that they do not scan the payloads again. */
export class BodyOutline implements ShapeObserver {
  /** NUMBERS of each container that is not too deep, in the order of their starts. */
  private readonly containers: number[] = [];
  /** By depth, where the numbers of the open container are; -1 when it is not noted. */
  private readonly open = new Int32Array(DEPTH_MAX + 1);
  /** The strings that redaction replaces, in the order of their starts. */
  private readonly secrets: Span[] = [];

  constructor(
    private readonly body: Buffer,
    private readonly redaction: Redaction,
  ) {}

  key(start: number, end: number, value: number): void {
    if (this.secrets.length === SECRETS_MAX) return;
    const secret = this.redaction.secretAt(this.body, start, end, value);
    if (secret !== undefined) this.secrets.push(secret);
  }

  opened(start: number, depth: number): void {
    if (depth > DEPTH_MAX) return;
    const { length } = this.containers;
    const isNoted = length < CONTAINERS_MAX * NUMBERS;
    this.open[depth] = isNoted ? length : -1;
    if (isNoted) this.containers.push(start, 0, 0);
  }

  closed(end: number, depth: number, levels: number): void {
    if (depth > DEPTH_MAX) return;
    const at = this.open[depth]!;
    if (at === -1) return;
    this.containers[at + 1] = end;
    this.containers[at + 2] = levels;
  }

  /** As `extentOfValue` of the body. */
  extentAt(start: number): Extent {
    const { containers } = this;
    const at =
      NUMBERS * firstFrom(containers.length / NUMBERS, (i) => containers[i * NUMBERS]!, start);
    if (containers[at] !== start) return extentOfValue(this.body, start);
    return { end: containers[at + 1]!, depth: containers[at + 2]! };
  }

  /** The secrets of an item that is a view of the body, by their positions in the item; undefined when they are not known. */
  secretsIn(item: Buffer): Span[] | undefined {
    const { body, secrets } = this;
    if (!isViewOf(body, item) || secrets.length === SECRETS_MAX) return undefined;
    const from = item.byteOffset - body.byteOffset;
    const found: Span[] = [];
    let i = firstFrom(secrets.length, (n) => secrets[n]!.start, from);
    for (; i < secrets.length && secrets[i]!.start < from + item.length; i++)
      found.push({ start: secrets[i]!.start - from, end: secrets[i]!.end - from });
    return found;
  }
}

/** Buffers that share memory for other reasons do not overlap. */
export function isViewOf(body: Buffer, item: Buffer): boolean {
  const start = item.byteOffset - body.byteOffset;
  return item.buffer === body.buffer && start >= 0 && start + item.length <= body.length;
}

/** The index of the first of `count` ascending numbers that is at least `least`; `count` when none is. */
function firstFrom(count: number, numberAt: (index: number) => number, least: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numberAt(middle) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
