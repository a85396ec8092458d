import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '@app/config';
import { errorReference } from './error-reference.js';
import { InvalidBodyError, problemOf, PROBLEMS } from './problems.js';

const named = (name: string, fields: object = {}) =>
  Object.assign(new Error('the inner story'), { name, ...fields });

describe('a problem', () => {
  it('is what it was when it already is one', () => {
    const problem = new InvalidBodyError([{ loc: ['body'], msg: 'no', type: 'x' }]);

    expect(problemOf(problem)).toBe(problem);
  });

  it.each([
    [named('QueueUnavailableError'), 'queue_unavailable', 503],
    [named('QueueFullError'), 'queue_full', 429],
    [named('StoreUnavailableError'), 'storage_unavailable', 503],
    [named('AccessDeniedError', { denial: 'unauthenticated' }), 'unauthenticated', 401],
    [named('AccessDeniedError', { denial: 'unknown_key' }), 'unknown_key', 401],
    [named('AccessDeniedError', { denial: 'forbidden' }), 'forbidden', 403],
    [named('FastifyError', { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }), 'body_too_large', 413],
    [named('FastifyError', { code: 'FST_ERR_BAD_URL' }), 'invalid_request', 400],
    [named('Error', { statusCode: 418 }), 'invalid_request', 400],
    [named('Error', { statusCode: 502 }), 'internal', 500],
    [named('StoreRefusedError', { code: 62 }), 'internal', 500],
    [named('TypeError'), 'internal', 500],
    ['a thrown string', 'internal', 500],
    [undefined, 'internal', 500],
    [null, 'internal', 500],
  ])('is found for %s: %s', (error, code, status) => {
    expect(problemOf(error)).toMatchObject({ code, status });
  });

  it('tells who may not do what, and how full the queue is', () => {
    const forbidden = problemOf(named('AccessDeniedError', { denial: 'forbidden' }));

    expect(forbidden.message).toBe('the inner story');
    expect(problemOf(named('QueueFullError')).message).toBe('the inner story');
  });

  it.each(['StoreUnavailableError', 'StoreRefusedError', 'QueueUnavailableError', 'TypeError'])(
    'keeps the inner story of a %s to itself',
    (name) => {
      expect(problemOf(named(name)).message).not.toContain('the inner story');
    },
  );
});

describe('the table of problems', () => {
  it('has a stable code, a status of an error and a full sentence in every line', () => {
    for (const [code, { status, sentence }] of Object.entries(PROBLEMS)) {
      expect(code).toMatch(/^[a-z][a-z0-9_]+$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(600);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('is docs/reference/errors.md', () => {
    const page = readFileSync(join(packageRoot(), 'docs/reference/errors.md'), 'utf8');

    expect(page).toBe(errorReference());
  });
});
