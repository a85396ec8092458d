import type { RecordFact } from './record-fact.js';

/** A piece of a file was stored; the body is its bytes. A file of no bytes is one empty piece. */
export type FileStored = RecordFact<
  'FileStored',
  {
    readonly digest: string;
    readonly name: string;
    readonly chunk: number;
    readonly chunkCount: number;
    /** Bytes of the piece when they are in a bucket; then the body is empty. */
    readonly externalBytes?: number;
  }
>;
