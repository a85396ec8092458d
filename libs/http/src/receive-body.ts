import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingRequest } from '@app/auth';
import { BodyBudget, COUNTED_MIN_BYTES, type BodyShare } from './body-budget.js';
import { emptyBody } from './body-thread.js';
import { ProblemError } from './problems.js';

/** Text rarely compresses better. A body that grows more needs free memory while it is read. */
const USUAL_RATIO = 16;
const WAIT_MAX_MS = 10_000;
/** A body that arrives slower is refused while others wait. */
const RATE_MIN_BYTES_PER_SECOND = 64 * 1024;
const RATE_CHECK_SECONDS = 5;

/** By request, until its response has ended. */
const shares = new WeakMap<FastifyRequest, BodyShare>();

/** Handlers receive a body as bytes. It is read when there is memory for it. */
export function receiveBodies(fastify: FastifyInstance, maxBytes: number): void {
  const budget = new BodyBudget({ maxBytes, maxWaitMs: WAIT_MAX_MS });
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    if (isTooLong(request)) {
      done(new ProblemError('body_too_large'));
      return;
    }
    const bytes = expectedBytes(request);
    if (bytes > COUNTED_MIN_BYTES) {
      reserve(budget, bytes, request, reply).then(
        () => done(null, payload),
        (error: Error) => done(error),
      );
      return;
    }
    if (mayGrow(request)) keep(budget.open(callerOf(request)), request, reply);
    done(null, payload);
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', (request, payload, done) =>
    receive(request, payload as Readable, done),
  );
}

async function reserve(
  budget: BodyBudget,
  bytes: number,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const left = new AbortController();
  const leave = () => left.abort();
  reply.raw.once('close', leave);
  const share = await budget.reserve(callerOf(request), bytes, left.signal);
  if (left.signal.aborted) share.release();
  else keep(share, request, reply);
}

function keep(share: BodyShare, request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => share.release());
  shares.set(request, share);
}

const isForm = ({ headers }: FastifyRequest) =>
  headers['content-type']?.startsWith('multipart/') === true;

const isCompressed = ({ headers }: FastifyRequest) =>
  (headers['content-encoding'] ?? 'identity') !== 'identity';

/** Whether the length of the body is not known before it was read. */
const mayGrow = (request: FastifyRequest) =>
  !isForm(request) && (isCompressed(request) || request.headers['transfer-encoding'] !== undefined);

const limitOf = ({ routeOptions }: FastifyRequest) => routeOptions.bodyLimit ?? Infinity;

/** Refused before anything is reserved for it. */
const isTooLong = (request: FastifyRequest) =>
  !isForm(request) && Number(request.headers['content-length'] ?? 0) > limitOf(request);

/** Of a form nothing is expected: its parts are streams with their own limits. */
function expectedBytes(request: FastifyRequest): number {
  if (isForm(request)) return 0;
  const limit = limitOf(request);
  const length = Number(request.headers['content-length'] ?? 0);
  return Math.min(limit, isCompressed(request) ? length * USUAL_RATIO : length);
}

/** The tenant; where keys are valid for all tenants, the user; without a key, the address. */
export function callerOf(request: FastifyRequest): string {
  const { principal, ip } = request as IncomingRequest;
  if (principal === undefined) return ip;
  const [tenant] = principal.scope.split('/');
  return tenant === '*' ? `user ${principal.user}` : `tenant ${tenant}`;
}

type Done = (error: Error | null, body?: Buffer) => void;

function receive(request: FastifyRequest, payload: Readable, done: Done): void {
  const limit = limitOf(request);
  const declared = request.headers['content-length'];
  const body =
    declared === undefined ? new GrowingBody(shares.get(request)) : new KnownBody(Number(declared));
  const stop = () => {
    clearInterval(rateCheck);
    payload.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
  };
  const onError = (error: Error) => {
    stop();
    done(error);
  };
  const onData = (bytes: Buffer) => {
    try {
      if (body.length + bytes.length > limit) throw new ProblemError('body_too_large');
      body.add(bytes);
    } catch (error) {
      onError(error as Error);
    }
  };
  const onEnd = () => {
    stop();
    done(null, body.bytes());
  };
  const onClose = () => onError(new ProblemError('not_json', 'The body ended early.'));
  const rateCheck = watchRate(shares.get(request), () => body.length, onError);
  payload.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  if (payload.destroyed) onClose();
}

function watchRate(
  share: BodyShare | undefined,
  received: () => number,
  refuse: (error: Error) => void,
): NodeJS.Timeout | undefined {
  if (share === undefined) return undefined;
  let before = 0;
  return setInterval(() => {
    const isSlow = received() - before < RATE_MIN_BYTES_PER_SECOND * RATE_CHECK_SECONDS;
    before = received();
    if (isSlow && share.isWanted()) refuse(new ProblemError('request_timeout'));
  }, RATE_CHECK_SECONDS * 1000).unref();
}

/** A body of declared length is copied to where it stays. */
class KnownBody {
  length = 0;
  private readonly memory: Buffer;

  constructor(declared: number) {
    this.memory = emptyBody(declared);
  }

  add(bytes: Buffer): void {
    this.length += bytes.copy(this.memory, this.length);
  }

  bytes(): Buffer {
    return this.memory.subarray(0, this.length);
  }
}

/** A compressed body, or one of unknown length. */
class GrowingBody {
  length = 0;
  private readonly pieces: Buffer[] = [];

  constructor(private readonly share: BodyShare | undefined) {}

  add(bytes: Buffer): void {
    this.share?.growTo(this.length + bytes.length);
    this.pieces.push(bytes);
    this.length += bytes.length;
  }

  bytes(): Buffer {
    const memory = emptyBody(this.length);
    let at = 0;
    for (const piece of this.pieces) at += piece.copy(memory, at);
    return memory;
  }
}
