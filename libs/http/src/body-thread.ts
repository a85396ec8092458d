import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { gauge } from '@app/observability';
import { BodyQueue } from './body-queue.js';
import { ProblemError } from './problems.js';
import {
  COLLECT_GARBAGE,
  NEXT_SLICE,
  type ThreadData,
  type ThreadReply,
  type ThreadRequest,
  type ThreadSlice,
} from './thread-messages.js';

/** A smaller body is read within a few milliseconds and does not wait for the thread. */
const LARGE_BYTES = 32 * 1024;

/** A thread that has read more collects its heap after a pause. */
const GARBAGE_BYTES = 32 * 1024 * 1024;
const PAUSE_MS = 2000;
/** A thread that ends takes its compiled code with it. Another one needs 0.2 s to start, and twice the time for a body in its first seconds. */
const IDLE_MS = 30_000;
const COPIED_BYTES = 2 * 1024 * 1024;

const WAITING = gauge('heddle_http_bodies_waiting', 'Large bodies that wait for the thread.');

/** Tests run the TypeScript sources, which a thread cannot load. There the main thread reads large bodies, one per turn. */
const IS_COMPILED = import.meta.url.endsWith('.js');

interface Waiting extends Omit<ThreadRequest, 'args'> {
  readonly body: Buffer;
  /** Of the body. */
  readonly bytes: number;
  /** After the body. */
  readonly args: readonly unknown[];
  readonly keepsBody: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Reads large bodies in a thread, one at a time, so that the event loop serves other requests meanwhile. */
class BodyThread {
  private readonly waiting = new BodyQueue<Waiting>();
  private current: Waiting | undefined;
  /** What has arrived of the result for `current`. */
  private result: unknown;
  private worker: Worker | undefined;
  /** Of all bodies since the thread was started or has collected its heap. */
  private readBytes = 0;
  private pauseTimer: NodeJS.Timeout | undefined;
  private idleTimer: NodeJS.Timeout | undefined;

  run(job: Omit<Waiting, 'bytes' | 'resolve' | 'reject'>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.add({ ...job, bytes: job.body.length, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    WAITING.set(this.waiting.size);
    if (this.current !== undefined) return;
    const job = this.waiting.take();
    clearTimeout(this.pauseTimer);
    clearTimeout(this.idleTimer);
    if (job === undefined) {
      this.rest();
      return;
    }
    this.current = job;
    this.readBytes += job.bytes;
    this.post(job).catch((error: unknown) => this.finish((one) => one.reject(error)));
  }

  /** Moves the memory of the body to the thread, so that V8 counts it there; it returns with what the result has of it. */
  private async post({ module, name, body, args, keepsBody }: Waiting): Promise<void> {
    const isAlone = body.buffer.byteLength === body.length;
    const moved = keepsBody || !isAlone ? await copied(body) : body;
    const request: ThreadRequest = { module, name, args: [moved, ...args] };
    this.worker ??= this.start();
    this.worker.postMessage(request, [moved.buffer as ArrayBuffer]);
  }

  private start(): Worker {
    const worker = new Worker(new URL('./body-thread.worker.js', import.meta.url), {
      workerData: { poolSize: Buffer.poolSize } satisfies ThreadData,
    });
    // The server keeps the process alive, not this thread.
    worker.unref();
    worker.on('message', (message: ThreadReply | ThreadSlice) => this.receive(message));
    worker.once('error', (error) => this.fail(error));
    worker.once('exit', (code) => this.fail(new Error(`The thread ended with ${code}.`)));
    return worker;
  }

  /** A thread that has nothing to read for a while returns the memory of its bodies, and later its own. */
  private rest(): void {
    if (this.worker === undefined) return;
    this.idleTimer = setTimeout(() => this.end(), IDLE_MS).unref();
    if (this.readBytes < GARBAGE_BYTES) return;
    this.pauseTimer = setTimeout(() => {
      this.readBytes = 0;
      this.worker?.postMessage(COLLECT_GARBAGE);
    }, PAUSE_MS).unref();
  }

  private end(): void {
    this.worker?.removeAllListeners();
    void this.worker?.terminate();
    this.worker = undefined;
    this.readBytes = 0;
  }

  private receive(message: ThreadReply | ThreadSlice): void {
    if ('items' in message) this.addSlice(message);
    else if (!('result' in message)) this.finish((job) => job.reject(errorOf(message)));
    else {
      this.result = message.result;
      if (message.lists.length > 0) this.requestSlice();
      else this.finish((job) => job.resolve(message.result));
    }
  }

  private addSlice({ list, items, isLast }: ThreadSlice): void {
    const { result } = this;
    (result as Record<string, unknown[]>)[list]!.push(...items);
    if (isLast) this.finish((job) => job.resolve(result));
    else this.requestSlice();
  }

  /** In the next turn, so that other requests are served between two slices. */
  private requestSlice(): void {
    setImmediate(() => this.worker?.postMessage(NEXT_SLICE));
  }

  private finish(settle: (job: Waiting) => void): void {
    const job = this.current;
    this.current = undefined;
    this.result = undefined;
    if (job !== undefined) settle(job);
    this.next();
  }

  /** The next body starts a new thread. */
  private fail(error: unknown): void {
    this.worker = undefined;
    this.finish((job) => job.reject(error));
  }
}

function errorOf(reply: Exclude<ThreadReply, { result: unknown }>): Error {
  if ('stack' in reply) return Object.assign(new Error(reply.stack), { stack: reply.stack });
  const { code, message, extras, retryAfterSeconds } = reply.problem;
  return new ProblemError(code, message, extras, retryAfterSeconds);
}

const thread = new BodyThread();
let lastTurn: Promise<unknown> = Promise.resolve();

/** Memory for a body, which a large one has alone. */
export const emptyBody = (bytes: number): Buffer =>
  bytes > LARGE_BYTES ? Buffer.allocUnsafeSlow(bytes) : Buffer.allocUnsafe(bytes);

/** In pieces: new memory takes a millisecond for about three megabytes. */
async function copied(body: Buffer): Promise<Buffer> {
  const copy = Buffer.allocUnsafeSlow(body.length);
  for (let at = 0; at < body.length; at += COPIED_BYTES) {
    if (at > 0) await nextTurn();
    body.copy(copy, at, at, at + COPIED_BYTES);
  }
  return copy;
}

/**
 * A pure function that reads a body, to be run in the thread when the body is large. `module` is the `import.meta.url` of the
 * file that exports the function under `name`. A large body is empty afterwards, unless the function `keepsBody`. Other arguments
 * and the result are copied, in slices where a list is long. Buffers in the result arrive as Uint8Array; `asBuffer` converts them.
 */
export function readInThread<Args extends unknown[], Result>(
  module: string,
  name: string,
  read: (body: Buffer, ...args: Args) => Result,
  { keepsBody = false }: { readonly keepsBody?: boolean } = {},
): (body: Buffer, ...args: Args) => Result | Promise<Result> {
  return (body, ...args) => {
    if (body.length <= LARGE_BYTES) return read(body, ...args);
    if (IS_COMPILED) return thread.run({ module, name, body, args, keepsBody }) as Promise<Result>;
    const turn = lastTurn.then(() => nextTurn());
    lastTurn = turn;
    return turn.then(() => read(body, ...args));
  };
}
