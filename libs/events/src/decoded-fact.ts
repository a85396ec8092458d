import type { CallFact, CallFactKind, Fact, FactOrigin } from './call.events.js';
import { readCallItem, type CallItem } from './call-item.js';
import type { Micros } from '@app/wire';

/** What was computed of a fact: its id and its record, which the log, the fold and the receipt all need. */
interface FactCache {
  id: string | undefined;
  record: CallItem | undefined;
}

/** Of facts that are plain objects. */
const caches = new WeakMap<Fact, FactCache>();

/** A fact of a chunk or of the log. It has its cache itself, because a WeakMap of all facts costs more. A copy of it has none. */
export class DecodedFact implements CallFact {
  readonly #cache: FactCache = { id: undefined, record: undefined };

  constructor(
    readonly kind: CallFactKind,
    readonly projectId: string,
    readonly callId: string,
    readonly userId: string,
    readonly addsOnly: boolean,
    readonly origin: FactOrigin | undefined,
    readonly receivedAt: Micros,
    readonly chunkId: string,
    readonly index: number,
    readonly item: Buffer,
  ) {}

  static cacheOf(fact: Fact): FactCache | undefined {
    return #cache in fact ? fact.#cache : undefined;
  }
}

export function cacheOf(fact: Fact): FactCache {
  const known = DecodedFact.cacheOf(fact) ?? caches.get(fact);
  if (known !== undefined) return known;
  const cache: FactCache = { id: undefined, record: undefined };
  caches.set(fact, cache);
  return cache;
}

/** The record of a fact. It is parsed once. */
export function itemOf(fact: CallFact): CallItem {
  return (cacheOf(fact).record ??= readCallItem(fact.item));
}
