import type { ObjectCreateRecord } from '@app/contracts';
import type { ObjectPublished } from '@app/events';
import { digestOf, requireDigest, type RecordContext } from '../record-facts.js';
import { classified } from './object-class.js';

/** A publish request → one fact, or a ProblemError. */
export function publishedFact(record: ObjectCreateRecord, context: RecordContext): ObjectPublished {
  const builtin = record.builtin_object_class ?? record.set_base_object_class;
  const { val, kind, baseClass, leafClass } = classified(record.val.bytes, builtin);
  const digest = digestOf(val);
  requireDigest(digest, record.expected_digest, record.object_id);
  const data = { objectId: record.object_id, kind, digest, baseClass, leafClass };
  return { type: 'ObjectPublished', ...context, data, body: val };
}
