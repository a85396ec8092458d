import { FeedbackCreateRecord } from '@app/contracts';
import { InvalidBodyError, mapInSlices } from '@app/http';
import { elementSpans, isArrayAt, memberSpans } from '@app/wire';
import { requireLength } from '../list-length.js';
import { recordOf } from '../record-body.js';

const FEEDBACK_MAX = 1000;

/** The records of `{"batch":[…]}`, each checked by itself. */
export async function batchIn(body: Buffer): Promise<FeedbackCreateRecord[]> {
  const span = memberSpans(body).get('batch');
  if (span === undefined) throw invalid('Field required', 'missing');
  if (!isArrayAt(body, span.start)) throw invalid('must be a list of feedback', 'list_type');
  requireLength(body, span.start, 'batch', FEEDBACK_MAX);
  const batch = body.subarray(span.start, span.end);
  return mapInSlices([...elementSpans(batch).entries()], ([index, { start, end }]) =>
    recordOf(
      FeedbackCreateRecord,
      batch.subarray(start, end),
      ['payload'],
      ['body', 'batch', index],
      body,
    ),
  );
}

const invalid = (msg: string, type: string) =>
  new InvalidBodyError([{ loc: ['body', 'batch'], msg, type }]);
