import { setFlagsFromString } from 'node:v8';

/** The heap may double before all of it is collected. */
const GROWTH_PERCENT = 100;

/**
 * For processes whose requests have large bodies. V8 counts bodies as a part of the heap, and expects a process with little load to
 * need little more memory: after growing by a tenth it collects the whole heap. At half load that was three times a second, and half of
 * the CPU of ingest.
 */
export function collectHeapSeldom(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
