import type { ProblemCode } from '@app/errors';

/** What the thread gets when it starts. */
export interface ThreadData {
  /** As in the main thread. */
  readonly poolSize: number;
}

/** A call of a function in another file. The first argument is the body. */
export interface ThreadRequest {
  readonly module: string;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface ThreadProblem {
  readonly code: ProblemCode;
  readonly message: string;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number;
}

export type ThreadReply =
  /** The lists have more items, which follow in slices: the names of the members of the result. */
  | { readonly result: unknown; readonly lists: readonly string[] }
  | { readonly problem: ThreadProblem }
  /** Of an error that is a defect. */
  | { readonly stack: string };

/** Some more items of a list of the result. */
export interface ThreadSlice {
  readonly list: string;
  readonly items: readonly unknown[];
  readonly isLast: boolean;
}

/** Sent by the main thread when it has time for the next slice. */
export const NEXT_SLICE = 'next slice';

/** Sent by the main thread when there was nothing to read for a while. */
export const COLLECT_GARBAGE = 'collect garbage';

/** The same bytes as a Buffer, without a copy. A Buffer from another thread is a Uint8Array. */
export const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
