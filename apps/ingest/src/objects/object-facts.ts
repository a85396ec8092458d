import { TooDeepError, valueDigest } from '@app/digests';
import type { ObjectCreateRecord } from '@app/contracts';
import type { ObjectPublished, RecordFact } from '@app/events';
import { ProblemError } from '@app/http';
import { classed } from './object-class.js';

/** What every fact has in common. */
export type IngestContext = Pick<RecordFact, 'projectId' | 'userId' | 'receivedAt'>;

/** A publish request → one fact, or a Problem. */
export function publishedFact(record: ObjectCreateRecord, receipt: IngestContext): ObjectPublished {
  const builtin = record.builtin_object_class ?? record.set_base_object_class;
  const { val, kind, baseClass, leafClass } = classed(record.val.bytes, builtin);
  const digest = digestOf(val);
  requireDigest(digest, record.expected_digest, record.object_id);
  const data = { objectId: record.object_id, kind, digest, baseClass, leafClass };
  return { type: 'ObjectPublished', ...receipt, data, body: val };
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
