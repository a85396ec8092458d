import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 1000;
/** A process whose event loop runs for a smaller part of a second has time for a pause of about 60 ms. */
const IDLE_UTILIZATION = 0.1;
/** The end of a burst, and not a gap in it. Buffers that are reused are given up before. */
const IDLE_LOOKS = 3;
/** What small requests leave is less. */
const GARBAGE_BYTES = 32 * 1024 * 1024;
const MIN_LOOKS_BETWEEN = 10;
/** When a collection freed little, what is left is in use. Until there is more, the next one waits, each time twice as long, up to this. */
const MAX_LOOKS_BETWEEN = 320;

/** What is known of a process once a second. */
interface Look {
  /** Part of the last second for which the event loop was busy. */
  readonly utilization: number;
  /** Of the heap and of all buffers. */
  readonly bytes: number;
}

/**
 * Collects the heap of a process that is idle after large requests. V8 itself waits for 25 to 50 seconds, and all buffers of
 * these requests stay in memory until then.
 */
export class IdleCollector {
  private leastBytes = Infinity;
  /** After the last collection. */
  private remainingBytes = 0;
  private idleLooks = 0;
  private looksSince = MIN_LOOKS_BETWEEN;
  private looksBetween = MIN_LOOKS_BETWEEN;

  /** `collect` returns the bytes that remain. */
  constructor(private readonly collect: () => number) {}

  look({ utilization, bytes }: Look): void {
    this.looksSince++;
    this.idleLooks = utilization < IDLE_UTILIZATION ? this.idleLooks + 1 : 0;
    this.leastBytes = Math.min(this.leastBytes, bytes);
    if (bytes < this.leastBytes + GARBAGE_BYTES || this.idleLooks < IDLE_LOOKS) return;
    const hasGrown = bytes >= this.remainingBytes + GARBAGE_BYTES;
    if (this.looksSince < (hasGrown ? MIN_LOOKS_BETWEEN : this.looksBetween)) return;
    this.looksSince = 0;
    this.remainingBytes = this.collect();
    this.looksBetween =
      bytes - this.remainingBytes >= GARBAGE_BYTES
        ? MIN_LOOKS_BETWEEN
        : Math.min(this.looksBetween * 2, MAX_LOOKS_BETWEEN);
  }
}

/** For the time of the process. */
export function collectWhenIdle(): void {
  const collectGarbage = garbageCollection();
  const collector = new IdleCollector(() => {
    collectGarbage();
    return usedBytes();
  });
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    collector.look({ utilization, bytes: usedBytes() });
  }, LOOK_MS).unref();
}

function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Node offers the function to processes that are started with a flag; contexts that are made later have it, too. */
export function garbageCollection(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
