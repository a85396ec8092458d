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
  readonly origin?: FactOrigin | undefined;
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
