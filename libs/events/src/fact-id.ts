import { hash } from 'node:crypto';
import type { CallFact, Fact } from './call.events.js';
import { cacheOf } from './decoded-fact.js';

/** Kinds that are not deduplicated: renames to A, B and A again are three facts. */
const NOT_DEDUPLICATED: ReadonlySet<Fact['kind']> = new Set(['rename', 'delete', 'rejected']);

/**
 * The id of a fact, 16 bytes as hex. The same record sent twice has the same id, unless its kind is not deduplicated. Facts of
 * keys that only add also differ by user, because the same record may have an effect from one user and none from another.
 */
export function factId(fact: Fact): string {
  const cache = cacheOf(fact);
  return (cache.id ??= idOf(fact));
}

function idOf(fact: Fact): string {
  const { kind, projectId, callId, userId, addsOnly, chunkId, index } = fact;
  const position = NOT_DEDUPLICATED.has(kind) ? [chunkId, index] : [];
  const sender = addsOnly ? [{ addedBy: userId }] : [];
  const head = JSON.stringify([projectId, callId, kind, ...position, ...sender]);
  return hash('sha256', joined(head, fact.item), 'hex').slice(0, 32);
}

/** Nearly all facts fit. The memory is used again by the next fact. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

function joined(head: string, item: Buffer): Buffer {
  // A character takes at most three bytes.
  if (3 * head.length + item.length > scratch.length)
    return Buffer.concat([Buffer.from(head), item]);
  const length = scratch.write(head);
  return scratch.subarray(0, length + item.copy(scratch, length));
}

/** Sets the id of a fact that was read from the log: an erasure of its user may have changed the fact, but not its id. */
export function setId(fact: Fact, id: string): void {
  cacheOf(fact).id = id;
}

/**
 * Compares two facts by time of receipt, then by position. Negative when `a` was received first. Only one fact has a position, but
 * the order is total without that assumption, too: a fold must not depend on the order in which facts were read.
 */
function byReceipt(a: CallFact, b: CallFact): number {
  return (
    a.receivedAt - b.receivedAt ||
    compare(a.chunkId, b.chunkId) ||
    a.index - b.index ||
    compare(a.userId, b.userId)
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** One fact per id, the one received first, ordered by time of receipt. */
export function distinct(facts: readonly CallFact[]): readonly CallFact[] {
  const [first, second] = facts;
  if (facts.length < 2) return facts;
  if (facts.length === 2) return ofTwo(first!, second!);
  const byId = new Map<string, CallFact>();
  for (const fact of facts) {
    const id = factId(fact);
    const known = byId.get(id);
    if (known === undefined || byReceipt(fact, known) < 0) byId.set(id, fact);
  }
  return [...byId.values()].sort(inOrder);
}

/** Most calls have a start and an end. */
function ofTwo(first: CallFact, second: CallFact): CallFact[] {
  if (factId(first) === factId(second)) return [byReceipt(second, first) < 0 ? second : first];
  return inOrder(first, second) < 0 ? [first, second] : [second, first];
}

const inOrder = (a: CallFact, b: CallFact): number =>
  byReceipt(a, b) || (factId(a) < factId(b) ? -1 : 1);
