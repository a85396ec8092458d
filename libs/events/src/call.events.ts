import { hash } from 'node:crypto';
import type { Micros } from '@app/wire';

/** Everything that can happen to a call; every `switch` on it must handle a new member. */
export type CallFactKind = 'start' | 'end' | 'complete' | 'rename' | 'delete';

/** A change to a call that a client sent. Facts are immutable. */
export interface CallFact {
  readonly kind: CallFactKind;
  readonly projectId: string;
  readonly callId: string;
  /** The user of the API key that sent the fact. */
  readonly userId: string;
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

/** Kinds that are not deduplicated: renames to A, B and A again are three facts. */
const NOT_DEDUPLICATED: ReadonlySet<Fact['kind']> = new Set(['rename', 'delete', 'rejected']);

/** The event log, the fold and the receipt all need the id; the bytes are hashed once. */
const idsByFact = new WeakMap<Fact, string>();

/** The id of a fact, 16 bytes as hex. The same record sent twice has the same id, unless its kind is not deduplicated. */
export function factId(fact: Fact): string {
  const cached = idsByFact.get(fact);
  if (cached !== undefined) return cached;
  const { kind, projectId, callId, chunkId, index } = fact;
  const position = NOT_DEDUPLICATED.has(kind) ? [chunkId, index] : [];
  const head = Buffer.from(JSON.stringify([projectId, callId, kind, ...position]));
  const id = hash('sha256', Buffer.concat([head, fact.item]), 'hex').slice(0, 32);
  idsByFact.set(fact, id);
  return id;
}

/** Compares two facts by time of receipt, then by position. Negative when `a` was received first. */
export function byReceipt(a: CallFact, b: CallFact): number {
  return a.receivedAt - b.receivedAt || compare(a.chunkId, b.chunkId) || a.index - b.index;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
