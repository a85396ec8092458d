import 'reflect-metadata';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { HeddleError } from '@app/errors';
import { garbageCollection } from '@app/observability';
import { problemOf } from './problems.js';
import {
  asBuffer,
  COLLECT_GARBAGE,
  NEXT_SLICE,
  type ThreadData,
  type ThreadReply,
  type ThreadRequest,
  type ThreadSlice,
} from './thread-messages.js';
import { slicedResult } from './thread-slices.js';

/** A smaller buffer is copied to the other thread; it may share its memory with others, which a pool has less of. */
const MOVED_MIN_BYTES = 64 * 1024;
/** The results are lists of facts: buffers are at most this deep in a message. */
const MOVED_MAX_DEPTH = 6;

Buffer.poolSize = (workerData as ThreadData).poolSize;

/** The main thread, which serves small requests, goes before this one. Elsewhere the call would concern the whole process. */
const PRIORITY = 5;
if (process.platform === 'linux') yieldToMainThread();

function yieldToMainThread(): void {
  try {
    setPriority(PRIORITY);
  } catch {
    // A sandbox may forbid it. Bodies are read all the same, in competition with the main thread.
  }
}

/** Of the last result. The main thread requests them one by one, and no other body meanwhile. */
let slices: Iterator<ThreadSlice> = [].values();

const collectGarbage = garbageCollection();

type Message = ThreadRequest | typeof NEXT_SLICE | typeof COLLECT_GARBAGE;

parentPort?.on('message', (message: Message) => {
  if (message === COLLECT_GARBAGE) collectGarbage();
  else if (message === NEXT_SLICE) send(slices.next().value as ThreadSlice);
  else void respond(message);
});

async function respond(request: ThreadRequest): Promise<void> {
  const reply = await resultOf(request);
  // Slices that follow are made from the body, which therefore cannot leave yet.
  if ('lists' in reply && reply.lists.length > 0) parentPort?.postMessage(reply);
  else send(reply);
}

function send(message: ThreadReply | ThreadSlice): void {
  const moved = new Set<ArrayBuffer>();
  findLargeBuffers(message, MOVED_MAX_DEPTH, moved);
  parentPort?.postMessage(message, [...moved]);
}

async function resultOf({ module, name, args }: ThreadRequest): Promise<ThreadReply> {
  try {
    const functions = (await import(module)) as Record<string, (...args: unknown[]) => unknown>;
    const given = args.map((arg) => (arg instanceof Uint8Array ? asBuffer(arg) : arg));
    const sliced = slicedResult(await functions[name]!(...given));
    slices = sliced.slices;
    return { result: sliced.result, lists: sliced.lists };
  } catch (error) {
    return errorReply(error);
  }
}

function errorReply(error: unknown): ThreadReply {
  if (!(error instanceof HeddleError)) return { stack: (error as Error).stack ?? String(error) };
  const { code, message, extras, retryAfterSeconds } = problemOf(error);
  return { problem: { code, message, extras, retryAfterSeconds } };
}

function findLargeBuffers(value: unknown, depth: number, found: Set<ArrayBuffer>): void {
  if (value === null || typeof value !== 'object' || depth < 0) return;
  if (!ArrayBuffer.isView(value)) {
    for (const inner of Object.values(value)) findLargeBuffers(inner, depth - 1, found);
  } else if (value.buffer instanceof ArrayBuffer && value.buffer.byteLength >= MOVED_MIN_BYTES) {
    found.add(value.buffer);
  }
}
