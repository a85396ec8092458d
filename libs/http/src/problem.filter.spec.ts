import { NotFoundException, PayloadTooLargeException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createLogger } from '@app/observability';
import { sendProblem } from './problem.filter.js';
import { InvalidBodyError, ProblemError } from './problems.js';

interface Refusal {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly log: string;
}

/** The response to an error, and its log lines. */
function refusal(error: unknown, posted: readonly string[] = []): Refusal {
  const lines: string[] = [];
  const logger = createLogger('test', 'info', { write: (line) => void lines.push(line) });
  const given = { status: 0, headers: {} as Record<string, string>, body: '' };
  const reply = {
    status: (status: number) => Object.assign(given, { status }) && reply,
    header: (name: string, value: string) => (given.headers[name] = value) && reply,
    type: () => reply,
    removeHeader: () => reply,
    send: (body: string) => Object.assign(given, { body }) && reply,
  };
  const request = {
    id: 'r1',
    method: 'GET',
    headers: {},
    raw: { complete: true },
    url: '/call/start?x=1',
    routeOptions: { url: '/call/start' },
    server: {
      hasRoute: ({ method, url }: { method: string; url: string }) =>
        method === 'POST' && posted.includes(url),
    },
  };
  sendProblem(
    error,
    request as unknown as FastifyRequest,
    reply as unknown as FastifyReply,
    logger,
  );
  return { ...given, body: JSON.parse(given.body) as unknown, log: lines.join('') };
}

describe('the response to an error', () => {
  it('is a reason for a person and a code for a program', () => {
    expect(refusal(new ProblemError('not_utf8'))).toMatchObject({
      status: 400,
      body: { reason: 'The body is not valid UTF-8.', error_code: 'not_utf8' },
    });
  });

  it('is only the list of places for a body that does not match', () => {
    const detail = [{ loc: ['body', 'id'], msg: 'Field required', type: 'missing' }];

    expect(refusal(new InvalidBodyError(detail))).toMatchObject({
      status: 422,
      body: { detail },
    });
  });

  it('has retry-after when a retry may succeed', () => {
    for (const code of ['queue_full', 'queue_unavailable', 'storage_unavailable'] as const) {
      expect(refusal(new ProblemError(code)).headers).toEqual({ 'retry-after': '1' });
    }
    expect(refusal(new ProblemError('forbidden')).headers).toEqual({});
  });

  it('says how to send a key', () => {
    expect(refusal(new ProblemError('unauthenticated')).headers).toHaveProperty('www-authenticate');
  });

  it('distinguishes an unknown route from a method that is not allowed', () => {
    expect(refusal(new NotFoundException())).toMatchObject({
      status: 404,
      body: { detail: 'Not Found' },
    });
    expect(refusal(new NotFoundException(), ['/call/start'])).toMatchObject({
      status: 405,
      body: { reason: '/call/start?x=1 accepts POST, not GET.', error_code: 'method_not_allowed' },
    });
  });

  it("uses the table's sentence for an error of Nest", () => {
    expect(refusal(new PayloadTooLargeException('whatever'))).toMatchObject({
      status: 413,
      body: { reason: 'The body is too large.', error_code: 'body_too_large' },
    });
  });

  it('keeps a stack trace for the log, found by the id of the request', () => {
    const { status, body, log } = refusal(new TypeError('undefined is not a function'));

    expect(status).toBe(500);
    expect(JSON.stringify(body)).not.toContain('undefined is not');
    expect(JSON.parse(log)).toMatchObject({
      requestId: 'r1',
      path: '/call/start',
      error: expect.stringContaining('undefined is not a function'),
    });
  });

  it('leaves no line in the log for what clients do wrong or has to wait', () => {
    expect(refusal(new ProblemError('not_json')).log).toBe('');
    expect(refusal(new ProblemError('storage_unavailable')).log).toBe('');
  });
});
