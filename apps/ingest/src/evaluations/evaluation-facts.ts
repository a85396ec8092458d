import type { NewFact } from '@app/events';
import { completedFact, endedFact, startedFact, type IngestContext } from '../calls/call-facts.js';
import { recordAt } from '../calls/call-bodies.js';
import type { Json } from './evaluation-records.js';

/** Records → facts, with the checks of every other call. */
export const startFact = (record: Json, context: IngestContext): NewFact =>
  startedFact(Buffer.from(`{"start":${record}}`), context).fact;

export const completeFact = (record: Json, context: IngestContext): NewFact =>
  completedFact(recordAt(Buffer.from(record), 0, ['body']), context);

export const endFact = (record: Json, context: IngestContext): NewFact =>
  endedFact(Buffer.from(`{"end":${record}}`), context).fact;
