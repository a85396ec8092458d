import { hash } from 'node:crypto';

/** Everything that can happen to a call; every `switch` on it must handle a new member. */
export const CALL_FACT_KINDS = ['start', 'end', 'complete', 'rename', 'delete'] as const;
export type CallFactKind = (typeof CALL_FACT_KINDS)[number];

/** Something a client said about a call. Facts are never edited. */
export interface CallFact {
  readonly kind: CallFactKind;
  readonly projectId: string;
  readonly callId: string;
  /** Whose key sent it. */
  readonly userId: string;
  /** Microseconds since 1970, by the clock of the ingest process that took it. */
  readonly receivedAt: number;
  /** The chunk that carried it, and its place in there. */
  readonly chunkId: string;
  readonly index: number;
  /** The record as it was sent, with server-given ids added at its end. */
  readonly item: Buffer;
}

/** What could not be understood, kept with the reason. It changes no call. */
export interface RejectedFact extends Omit<CallFact, 'kind' | 'callId'> {
  readonly kind: 'rejected';
  /** Empty when the item did not even name one. */
  readonly callId: string;
  readonly reason: string;
}

export type Fact = CallFact | RejectedFact;

/** Kinds whose every sending is a fact of its own: A, B, A are three renames. */
const SENDINGS: ReadonlySet<Fact['kind']> = new Set(['rename', 'delete', 'rejected']);

/** The log, the fold and the receipt all ask; the bytes are hashed once. */
const knownIds = new WeakMap<Fact, string>();

/** The identity of a fact, 16 bytes as hex. The same record sent twice is one fact, except for `SENDINGS`. */
export function factId(fact: Fact): string {
  const known = knownIds.get(fact);
  if (known !== undefined) return known;
  const { kind, projectId, callId, chunkId, index } = fact;
  const sending = SENDINGS.has(kind) ? [chunkId, index] : [];
  const head = Buffer.from(JSON.stringify([projectId, callId, kind, ...sending]));
  const id = hash('sha256', Buffer.concat([head, fact.item]), 'hex').slice(0, 32);
  knownIds.set(fact, id);
  return id;
}

/** Earlier before later: by time of receipt, then by place. Negative when `a` came first. */
export function byReceipt(a: CallFact, b: CallFact): number {
  return a.receivedAt - b.receivedAt || compare(a.chunkId, b.chunkId) || a.index - b.index;
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
