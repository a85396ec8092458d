import type { ThreadSlice } from './thread-messages.js';

/** The other thread copies these in about a millisecond. */
const SLICE_ITEMS = 500;

type Members = Record<string, unknown>;

export interface SlicedResult {
  /** The result, in which long lists are empty. */
  readonly result: unknown;
  readonly lists: readonly string[];
  readonly slices: Iterator<ThreadSlice>;
}

/** Takes the long lists out of a result. Copying 20,000 facts at once would hold the event loop of the main thread. */
export function slicedResult(result: unknown): SlicedResult {
  const isRecord = result !== null && typeof result === 'object' && !Array.isArray(result);
  const long = isRecord ? Object.entries(result).filter(([, value]) => isLong(value)) : [];
  if (long.length === 0) return { result, lists: [], slices: [].values() };
  const emptied = Object.fromEntries(long.map(([name]) => [name, []]));
  return {
    result: { ...(result as Members), ...emptied },
    lists: long.map(([name]) => name),
    slices: slicesOf(long as [string, unknown[]][]),
  };
}

const isLong = (value: unknown): boolean => Array.isArray(value) && value.length > SLICE_ITEMS;

function* slicesOf(lists: readonly (readonly [string, unknown[]])[]): Generator<ThreadSlice> {
  const last = lists.at(-1)![0];
  for (const [list, items] of lists) {
    for (let from = 0; from < items.length; from += SLICE_ITEMS) {
      const isLast = list === last && from + SLICE_ITEMS >= items.length;
      yield { list, items: withOwnBytes(items.slice(from, from + SLICE_ITEMS)), isLast };
    }
  }
}

/**
 * The same items, with all their buffers in one piece of memory. Without this, each slice would copy the whole body to which its
 * buffers belong.
 */
function withOwnBytes(items: readonly unknown[]): unknown[] {
  const total = items.reduce<number>((sum, item) => sum + bytesOf(item), 0);
  const memory = new Uint8Array(total);
  let at = 0;
  const moved = (value: unknown): unknown => {
    if (value instanceof Uint8Array) {
      memory.set(value, at);
      at += value.length;
      return memory.subarray(at - value.length, at);
    }
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(moved);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, moved(inner)]));
  };
  return total === 0 ? [...items] : items.map(moved);
}

function bytesOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.length;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + bytesOf(inner), 0);
}
