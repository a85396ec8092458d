import { requireAccess, type Action, type Principal } from '@app/auth';
import { TooDeepError, valueDigest } from '@app/digests';
import type { RecordFact } from '@app/events';
import { ProblemError } from '@app/http';
import type { Clock } from './clock.js';

/** What the server adds to a record: the fields that all facts have. */
export type RecordContext = Pick<RecordFact, 'projectId' | 'userId' | 'receivedAt'>;

/** The body of a fact that needs only its data. */
export const NO_BODY = Buffer.alloc(0);

/** Throws unless the caller may do this in the project. */
export function authorizedContext(
  caller: Principal,
  action: Action,
  projectId: string,
  clock: Pick<Clock, 'now'>,
): RecordContext {
  requireAccess(caller, action, [projectId]);
  return { projectId, userId: caller.user, receivedAt: clock.now() };
}

export function digestOf(json: Buffer): string {
  try {
    return valueDigest(json.toString('utf8'));
  } catch (error) {
    if (!(error instanceof TooDeepError)) throw error;
    throw new ProblemError('body_too_complex', `A value is ${error.message}.`);
  }
}

export function requireDigest(
  digest: string,
  expected: string | null | undefined,
  what: string,
): void {
  if (!expected || expected === digest) return;
  throw new ProblemError(
    'digest_mismatch',
    `The digest of ${what} is ${digest}, not the expected ${expected.slice(0, 80)}.`,
  );
}
