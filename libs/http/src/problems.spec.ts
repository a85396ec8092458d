import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodes } from 'fastify';
import { AccessDeniedError } from '@app/auth';
import { packageRoot, StartupError } from '@app/config';
import { errorReference } from './error-reference.js';
import { InvalidBodyError, problemOf, PROBLEMS } from './problems.js';

const withStatus = (statusCode: number) =>
  Object.assign(new Error('a private detail'), { statusCode });

describe('a problem', () => {
  it('is the error itself when that is a ProblemError', () => {
    const problem = new InvalidBodyError([{ loc: ['body'], msg: 'no', type: 'x' }]);

    expect(problemOf(problem)).toBe(problem);
  });

  it.each([
    { error: new AccessDeniedError('unauthenticated'), code: 'unauthenticated', status: 401 },
    { error: new AccessDeniedError('unknown_key'), code: 'unknown_key', status: 401 },
    { error: new AccessDeniedError('forbidden'), code: 'forbidden', status: 403 },
    { error: new StartupError('a private detail'), code: 'internal', status: 500 },
    { error: new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), code: 'body_too_large', status: 413 },
    { error: new errorCodes.FST_ERR_BAD_URL('/%'), code: 'invalid_request', status: 400 },
    { error: withStatus(418), code: 'invalid_request', status: 400 },
    { error: withStatus(502), code: 'internal', status: 500 },
    { error: new TypeError('a private detail'), code: 'internal', status: 500 },
    { error: 'a thrown string', code: 'internal', status: 500 },
    { error: undefined, code: 'internal', status: 500 },
    { error: null, code: 'internal', status: 500 },
  ])('is $code for $error', ({ error, code, status }) => {
    expect(problemOf(error)).toMatchObject({ code, status });
  });

  it.each([
    { error: new StartupError('a private detail') },
    { error: new AccessDeniedError('unknown_key', 'a private detail') },
    { error: new TypeError('a private detail') },
    { error: withStatus(502) },
  ])('does not show a client the details of $error', ({ error }) => {
    expect(problemOf(error).message).not.toContain('a private detail');
  });
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
