import { hash } from 'node:crypto';
import type { Micros } from '@app/wire';

/** Everything that can happen to a call; every `switch` on it must handle a new member. */
export type CallFactKind = 'start' | 'end' | 'complete' | 'rename' | 'delete';

/** Which request sent a fact: for the audit log, while the fact is in the queue. The log of facts has no addresses. */
export interface FactOrigin {
  readonly keyId: string;
  readonly address: string;
  readonly requestId: string;
}

/** A change to a call that a client sent. Facts are immutable. */
export interface CallFact {
  readonly kind: CallFactKind;
  readonly projectId: string;
  readonly callId: string;
  /** The user of the API key that sent the fact. */
  readonly userId: string;
  /** Whether the key may only add (role `ingest`): then the fact has no effect on a call that another user started. */
  readonly addsOnly: boolean;
  /** Absent for facts that only add, which overwrite nothing, and for those that were read from the log. */
  readonly origin?: FactOrigin;
  /** By the clock of the ingest process that accepted the fact. */
  readonly receivedAt: Micros;
  /** The chunk that contains the fact, and its index there. */
  readonly chunkId: string;
  readonly index: number;
  /** The record as sent, with ids that the server generated appended. */
  readonly item: Buffer;
}

/** A malformed record, stored with the reason as a dead letter. It changes no call. */
export interface RejectedFact extends Omit<CallFact, 'kind' | 'callId'> {
  readonly kind: 'rejected';
  /** Empty when the record has no call id. */
  readonly callId: string;
  readonly reason: string;
}

export type Fact = CallFact | RejectedFact;

/** The reason of a dead letter whose fact has no effect on its call. A replay by an operator lets it take effect. */
export const OTHER_USER =
  'Another user started this call, and the API key that sent this may only add (role ingest).';

/** Kinds that are not deduplicated: renames to A, B and A again are three facts. */
const NOT_DEDUPLICATED: ReadonlySet<Fact['kind']> = new Set(['rename', 'delete', 'rejected']);

/** The event log, the fold and the receipt all need the id; the bytes are hashed once. */
const idsByFact = new WeakMap<Fact, string>();

/**
 * The id of a fact, 16 bytes as hex. The same record sent twice has the same id, unless its kind is not deduplicated. Facts of
 * keys that only add also differ by user, because the same record may have an effect from one user and none from another.
 */
export function factId(fact: Fact): string {
  const cached = idsByFact.get(fact);
  if (cached !== undefined) return cached;
  const { kind, projectId, callId, userId, addsOnly, chunkId, index } = fact;
  const position = NOT_DEDUPLICATED.has(kind) ? [chunkId, index] : [];
  const sender = addsOnly ? [{ addedBy: userId }] : [];
  const head = JSON.stringify([projectId, callId, kind, ...position, ...sender]);
  return withId(fact, hash('sha256', joined(head, fact.item), 'hex').slice(0, 32));
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
export function withId(fact: Fact, id: string): string {
  idsByFact.set(fact, id);
  return id;
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
