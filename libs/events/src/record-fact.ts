import type { Micros } from '@app/wire';

/**
 * A change to a record: an object, a table, a file, feedback, a price, a project setting or an annotation queue. Records are
 * written seldom and read immediately after. Facts are immutable; a change of meaning is a new type.
 */
export interface RecordFact<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly projectId: string;
  /** The user of the API key that sent the fact. */
  readonly userId: string;
  /** By the clock of the ingest process that accepted the fact. */
  readonly receivedAt: Micros;
  readonly data: Readonly<Data>;
  /** Content that is stored byte for byte; empty when `data` is complete. */
  readonly body: Buffer;
}

/** The order that Redis assigned to a fact. */
export interface Order {
  /** Greater than the seq of every earlier fact of the project. Close to the time in microseconds. */
  readonly seq: number;
  /** The number of a published version among the versions of its name. */
  readonly versionIndex: number;
}

/** A fact read from the queue. */
export type Ordered<F extends RecordFact> = F &
  Order & {
    readonly chunkId: string;
    /** Index of the fact in its chunk. */
    readonly index: number;
  };
