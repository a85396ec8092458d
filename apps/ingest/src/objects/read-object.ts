import type { Principal } from '@app/auth';
import { ObjectCreateRecord } from '@app/contracts';
import type { ObjectPublished } from '@app/events';
import { readInThread } from '@app/http';
import type { Micros } from '@app/wire';
import { memberObject, recordOf } from '../record-body.js';
import { authorizedContext } from '../record-facts.js';
import { publishedFact } from './object-facts.js';

/** The fact of a publish request of this caller, or a ProblemError. */
export function readObject(body: Buffer, caller: Principal, receivedAt: Micros): ObjectPublished {
  const json = memberObject(body, 'obj');
  const record = recordOf(ObjectCreateRecord, json, ['val'], ['body', 'obj'], body);
  const now = () => receivedAt;
  return publishedFact(record, authorizedContext(caller, 'write', record.project_id, { now }));
}

/** A large body is read in a thread. */
export const readObjectOf = readInThread(import.meta.url, 'readObject', readObject);
