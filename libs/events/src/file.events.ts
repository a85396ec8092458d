import type { RecordFact } from './record-fact.js';

/** A chunk of a file was stored. The body is its content. An empty file has one empty chunk. */
export type FileStored = RecordFact<
  'FileStored',
  {
    readonly digest: string;
    readonly name: string;
    readonly chunk: number;
    readonly chunkCount: number;
    /** Size of the chunk when its content is in a bucket; then the body is empty. */
    readonly externalBytes?: number;
  }
>;
