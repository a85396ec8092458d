import 'reflect-metadata';
import { parentPort } from 'node:worker_threads';
import { HeddleError } from '@app/errors';
import { problemOf } from './problems.js';
import { asBuffer, type ThreadReply, type ThreadRequest } from './thread-messages.js';

/** A smaller buffer is copied to the other thread; it may share its memory with others. */
const MOVED_MIN_BYTES = 64 * 1024;
/** The results are lists of facts: buffers are at most this deep. */
const MOVED_MAX_DEPTH = 5;

parentPort?.on('message', (request: ThreadRequest) => void respond(request));

async function respond(request: ThreadRequest): Promise<void> {
  const reply = await resultOf(request);
  const moved = new Set<ArrayBuffer>();
  if ('result' in reply) findLargeBuffers(reply.result, MOVED_MAX_DEPTH, moved);
  parentPort?.postMessage(reply, [...moved]);
}

async function resultOf({ module, name, args }: ThreadRequest): Promise<ThreadReply> {
  try {
    const functions = (await import(module)) as Record<string, (...args: unknown[]) => unknown>;
    const given = args.map((arg) => (arg instanceof Uint8Array ? asBuffer(arg) : arg));
    return { result: await functions[name]!(...given) };
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
  if (!(value instanceof Uint8Array)) {
    for (const inner of Object.values(value)) findLargeBuffers(inner, depth - 1, found);
  } else if (value.buffer instanceof ArrayBuffer && value.buffer.byteLength >= MOVED_MIN_BYTES) {
    found.add(value.buffer);
  }
}
