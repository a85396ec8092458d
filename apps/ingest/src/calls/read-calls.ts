import type { NewFact } from '@app/events';
import { readInThread, requireRecords } from '@app/http';
import { millisOf, type Micros } from '@app/wire';
import { uuidOf, uuidv7 } from '../ids.js';
import {
  batchFacts,
  completedFacts,
  endedFact,
  startedFact,
  type Accepted,
  type IngestContext,
} from './call-facts.js';
import { BodyOutline } from './body-outline.js';
import { IgnoredNames } from './ignored-names.js';
import { packedCalls, type CallsRead, type PackedCalls } from './packed-calls.js';
import { Redaction } from './redaction.js';

export type CallOperation = 'start' | 'end' | 'upsert_batch' | 'complete';

/** Plain values, so that the thread for large bodies gets a copy. */
export interface ReadContext {
  readonly userId: string;
  readonly addsOnly: boolean;
  readonly retryId: string | undefined;
  /** The time of the first fact. */
  readonly now: Micros;
  readonly redactKeys: readonly string[];
}

const READERS: Readonly<
  Record<CallOperation, (body: Buffer, context: IngestContext) => Accepted[]>
> = {
  start: (body, context) => [startedFact(body, context)],
  end: (body, context) => [endedFact(body, context)],
  upsert_batch: batchFacts,
  complete: completedFacts,
};

/** Checks and reads a body: the facts and responses of a request, or a ProblemError. */
export function readCalls(
  body: Buffer,
  operation: CallOperation,
  { redactKeys, ...context }: ReadContext,
): CallsRead {
  const redaction = redactionOf(redactKeys);
  const outline = new BodyOutline(body, redaction);
  requireRecords(body, outline);
  const ignored = new IgnoredNames();
  const accepted = READERS[operation](body, { ...contextOf(context), ignored, outline });
  const facts = withOneDeadLetter(accepted.map(({ fact }) => fact));
  return {
    facts: facts.map((fact) => redaction.redact(fact, outline.secretsIn(fact.item))),
    responses: accepted.map(({ response }) => response),
    ignored: ignored.list(),
  };
}

/** By their names: every request of a process has the same ones, but the thread gets a copy of the list with each. */
const redactions = new Map<string, Redaction>();

export function redactionOf(redactKeys: readonly string[]): Redaction {
  const names = redactKeys.join();
  const redaction = redactions.get(names) ?? new Redaction({ redactKeys });
  redactions.set(names, redaction);
  return redaction;
}

/** The same, packed for the thread from which it comes when the body is large. */
export const readPackedCalls = (
  body: Buffer,
  operation: CallOperation,
  context: ReadContext,
): PackedCalls => packedCalls(body, readCalls(body, operation, context));

export const readPackedCallsOf = readInThread(import.meta.url, 'readPackedCalls', readPackedCalls);

export function contextOf({
  userId,
  addsOnly,
  retryId,
  now,
}: Omit<ReadContext, 'redactKeys'>): IngestContext {
  return {
    userId,
    addsOnly,
    now: () => now,
    newId: (index, kind) =>
      retryId ? uuidOf(userId, retryId, index, kind) : uuidv7(millisOf(now)),
  };
}

/**
 * Items that name no project become one dead letter, a list with the bytes of each. They count for no project, so no limit of a
 * project would apply to their number.
 */
function withOneDeadLetter(facts: readonly NewFact[]): NewFact[] {
  const isUnnamed = (fact: NewFact) => fact.kind === 'rejected' && fact.projectId === '';
  const unnamed = facts.filter(isUnnamed);
  const [first] = unnamed;
  if (first?.kind !== 'rejected' || unnamed.length === 1) return [...facts];
  const reason = `${unnamed.length} items name no valid project; the first: ${first.reason}`;
  const merged = { ...first, callId: '', item: listOf(unnamed.map(({ item }) => item)), reason };
  return [...facts.filter((fact) => !isUnnamed(fact)), merged];
}

function listOf(items: readonly Buffer[]): Buffer {
  const comma = Buffer.from(',');
  const separated = items.flatMap((item, i) => (i === 0 ? [item] : [comma, item]));
  return Buffer.concat([Buffer.from('['), ...separated, Buffer.from(']')]);
}
