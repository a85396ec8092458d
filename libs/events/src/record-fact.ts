/**
 * Something that happened to a record: to anything that is written seldom and read at once, such as an object, a table
 * or a file. Facts are never edited; a change of meaning is a new type.
 */
export interface RecordFact<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly projectId: string;
  /** Whose key sent it. */
  readonly userId: string;
  /** Microseconds since 1970, by the clock of the ingest process that took it. */
  readonly receivedAt: number;
  readonly data: Readonly<Data>;
  /** What is kept byte for byte; empty where `data` says it all. */
  readonly body: Buffer;
}

/** The place Redis gave a fact when it took it. */
export interface Order {
  /** Greater than that of every fact the project had before. Near the time in microseconds. */
  readonly seq: number;
  /** Of a published version: its number among the versions of its name. */
  readonly versionIndex: number;
}

/** A fact as it comes out of the queue. */
export type Ordered<F extends RecordFact> = F &
  Order & {
    readonly chunkId: string;
    /** Its place in the chunk. */
    readonly index: number;
  };
