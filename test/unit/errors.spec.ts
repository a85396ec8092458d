import { AccessDeniedError } from '@app/auth';
import { BlobsUnavailableError } from '@app/blobs';
import {
  QueryTimeoutError,
  QueryTooLargeError,
  StoreRefusedError,
  StoreUnavailableError,
} from '@app/clickhouse';
import { RefError } from '@app/contracts';
import { problemOf } from '@app/http';
import { ExprError } from '@app/query-language';
import { OrderingRefusedError, WritePendingError, WriteRejectedError } from '@app/queue';
import {
  QueueFullError,
  QueueNotDurableError,
  QueueUnavailableError,
  RateLimitedError,
  WriteUnconfirmedError,
} from '@app/redis';

describe('an error that reaches the HTTP layer', () => {
  it.each([
    { error: new QueueUnavailableError('x'), code: 'queue_unavailable', status: 503 },
    { error: new QueueNotDurableError('x'), code: 'queue_not_durable', status: 503 },
    { error: new WriteUnconfirmedError('x'), code: 'write_unconfirmed', status: 503 },
    { error: new QueueFullError('x'), code: 'queue_full', status: 429 },
    { error: new RateLimitedError('x', 7), code: 'rate_limited', status: 429 },
    { error: new WritePendingError('x'), code: 'write_pending', status: 503 },
    { error: new WriteRejectedError('x'), code: 'internal', status: 500 },
    { error: new OrderingRefusedError('x'), code: 'internal', status: 500 },
    { error: new StoreUnavailableError('x'), code: 'storage_unavailable', status: 503 },
    { error: new StoreRefusedError('x', 62), code: 'internal', status: 500 },
    { error: new BlobsUnavailableError('x'), code: 'storage_unavailable', status: 503 },
    { error: new QueryTooLargeError('x'), code: 'query_too_large', status: 413 },
    { error: new QueryTimeoutError('x'), code: 'query_timeout', status: 504 },
    { error: new RefError('x'), code: 'invalid_ref', status: 400 },
    { error: new ExprError('shape', ['columns', 0], 'x'), code: 'invalid_body', status: 422 },
    { error: new ExprError('value', ['columns', 0], 'x'), code: 'invalid_request', status: 400 },
    { error: new ExprError('depth', ['columns', 0], 'x'), code: 'body_too_complex', status: 413 },
  ])('becomes $code when it is $error', ({ error, code, status }) => {
    expect(problemOf(error)).toMatchObject({ code, status });
  });

  it.each([
    { error: new AccessDeniedError('forbidden', 'a private detail') },
    { error: new QueueFullError('a private detail') },
    { error: new RateLimitedError('a private detail', 7) },
    { error: new RefError('a private detail') },
    { error: new QueueNotDurableError('a private detail') },
  ])('shows the client its own sentence: $error', ({ error }) => {
    expect(problemOf(error).message).toBe('a private detail');
  });

  it.each([
    { error: new StoreUnavailableError('a private detail') },
    { error: new StoreRefusedError('a private detail', 62) },
    { error: new QueueUnavailableError('a private detail') },
    { error: new WriteRejectedError('a private detail') },
  ])('hides its details from the client: $error', ({ error }) => {
    expect(problemOf(error).message).not.toContain('a private detail');
  });

  it('carries the time after which a rate-limited client may retry', () => {
    expect(problemOf(new RateLimitedError('x', 7)).retryAfterSeconds).toBe(7);
    expect(problemOf(new QueueFullError('x')).retryAfterSeconds).toBe(1);
  });

  it('names the invalid part of a query', () => {
    const at = ['query', '$expr', '$and', 0];

    expect(problemOf(new ExprError('value', at, 'is empty')).message).toBe(
      'query.$expr.$and.0: is empty.',
    );
    expect(problemOf(new ExprError('shape', at, 'is empty')).extras).toEqual({
      detail: [{ loc: ['body', ...at], msg: 'is empty', type: 'query' }],
    });
  });
});
